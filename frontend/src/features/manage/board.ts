// The rows of the board: the most urgent ones live, the rest as loaded, and those that have left.
import type {
  ManagedQueueSubscription,
  ManagedReviewFragment,
} from '../../graphql/generated/graphql';

export type Review = ManagedReviewFragment;
export type Change = ManagedQueueSubscription['reviewQueue'];

export interface Board {
  /** Whether the first frame has arrived. */
  ready: boolean;
  live: ReadonlyMap<string, Review>;
  order: readonly string[];
  /** The rows after the live ones, as loaded. */
  more: readonly Review[];
  /** The reviews that have left the list, in their last state. */
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

/** The cache strips an outdated object down to its id. */
function isComplete(review: Review): boolean {
  return typeof review.version === 'string';
}

/** The review with its last known case if the received case was outdated. */
function withKnownCase(review: Review, before: Review | undefined): Review {
  const complete = review.case === null || typeof review.case.updatedAt === 'string';
  return complete ? review : { ...review, case: before?.case ?? null };
}

/** Applies a frame of the subscription. */
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
  const left = change.removedReviews.filter(
    (review) => isComplete(review) && !listed.has(review.id),
  );
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

/** Appends the loaded reviews after the live rows. */
export function withAll(board: Board, reviews: readonly Review[]): Board {
  const listed = new Set(board.order);
  return { ...board, more: reviews.filter((review) => !listed.has(review.id)) };
}

/** The rows, soonest due first. */
export function rowsOf(board: Board): Review[] {
  return [...board.order.flatMap((id) => board.live.get(id) ?? []), ...board.more];
}
