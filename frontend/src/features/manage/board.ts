// The rows of the board: the most urgent ones live, those behind them as they were read, and those that have left.
import type {
  ManagedQueueSubscription,
  ManagedReviewFragment,
} from '../../graphql/generated/graphql';

export type Review = ManagedReviewFragment;
export type Change = ManagedQueueSubscription['reviewQueue'];

export interface Board {
  /** The first frame has come. */
  ready: boolean;
  live: ReadonlyMap<string, Review>;
  order: readonly string[];
  /** Behind the live ones; read, not live. */
  more: readonly Review[];
  /** Those that have left the list, as they were when they did. */
  departed: ReadonlyMap<string, Review>;
  total: number;
}

export const emptyBoard: Board = {
  ready: false,
  live: new Map(),
  order: [],
  more: [],
  departed: new Map(),
  total: 0,
};

/** An object that was overtaken on its way comes with no more than its id. */
function isComplete(review: Review): boolean {
  return typeof review.version === 'string';
}

/** The review as it came, with the case that was known before where the new one was overtaken. */
function withKnownCase(review: Review, before: Review | undefined): Review {
  const whole = review.case === null || typeof review.case.updatedAt === 'string';
  return whole ? review : { ...review, case: before?.case ?? null };
}

/** Takes in a frame of the subscription. */
export function withChange(board: Board, change: Change): Board {
  const knownReviews = new Map([
    ...board.more.map((review) => [review.id, review] as const),
    ...board.live,
  ]);
  const live = new Map(change.snapshot ? [] : board.live);
  for (const review of change.upserted) {
    const before = knownReviews.get(review.id);
    if (isComplete(review)) live.set(review.id, withKnownCase(review, before));
    else if (before) live.set(review.id, before);
  }
  for (const id of change.removed) live.delete(id);
  const listed = new Set(change.order);
  const left = change.left.filter((review) => isComplete(review) && !listed.has(review.id));
  return {
    ready: true,
    live,
    order: change.order,
    more: board.more.filter(
      (review) => !listed.has(review.id) && !change.removed.includes(review.id),
    ),
    departed: new Map([
      ...[...board.departed].filter(([id]) => !listed.has(id)),
      ...left.map(
        (review) => [review.id, withKnownCase(review, knownReviews.get(review.id))] as const,
      ),
    ]),
    total: change.totalCount,
  };
}

/** Puts the whole list, as it was read, behind the live rows. */
export function withAll(board: Board, reviews: readonly Review[]): Board {
  const listed = new Set(board.order);
  return { ...board, more: reviews.filter((review) => !listed.has(review.id)) };
}

/** What is shown, soonest due first. */
export function rowsOf(board: Board): Review[] {
  return [...board.order.flatMap((id) => board.live.get(id) ?? []), ...board.more];
}
