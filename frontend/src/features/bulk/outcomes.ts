// The parts in which a command is sent, and its outcome for each review.
import type { BulkLineFragment } from '../../graphql/generated/graphql';
import type { Refusal } from '../../lib/refusals';
import type { Action, Target } from './plan';

/** The outcome for one review. */
export interface Outcome {
  id: string;
  caseId: string;
  reference: string;
  queue: string;
  /** Null if it was refused. */
  done: Action | 'undone' | null;
  /** The new assignee of a reassignment. */
  to: string | null;
  refusals: readonly Refusal[];
  /** The time until which it can be undone; null if it cannot. */
  undoUntil: string | null;
}

/** The reviews of one command; results are shown after each. */
export const batchSize = 20;

/** The reviews in parts of at most the size of a command. */
export function batchesOf<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / batchSize);
  return Array.from({ length: count }, (_, i) => rows.slice(i * batchSize, (i + 1) * batchSize));
}

/** A result of any of the commands. */
export type Line = Pick<BulkLineFragment, 'reviewId' | 'userErrors'> & {
  review:
    | { undoUntil?: string | null | undefined; assignee?: { name: string } | null | undefined }
    | null
    | undefined;
};

/** The outcomes of a command, in the order of the reviews. One without a result was not executed. */
export function outcomesOf(
  targets: readonly Target[],
  action: Action,
  results: readonly Line[],
  commandRefusals: readonly Refusal[],
): Outcome[] {
  const byId = new Map(results.map((one) => [one.reviewId, one]));
  return targets.map(({ review, caseId, reference }) => {
    const result = byId.get(review.id);
    const refusals = result?.userErrors.length ? result.userErrors : result ? [] : commandRefusals;
    const done = result && refusals.length === 0 ? action : null;
    return {
      id: review.id,
      caseId,
      reference,
      queue: review.queue,
      done,
      to: done === 'reassign' ? (result?.review?.assignee?.name ?? null) : null,
      refusals,
      undoUntil: done === 'approve' ? (result?.review?.undoUntil ?? null) : null,
    };
  });
}
