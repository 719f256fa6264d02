// Several reviews at once: which are chosen, and what became of each.
import type { BulkLineFragment } from '../../graphql/generated/graphql';
import type { Refusal } from '../../lib/refusals';
import type { Row, ShownRow } from './rows';

/** What was asked of the chosen reviews. */
export type BulkAction = 'claimed' | 'approved';

/** What became of one of them. */
export interface Outcome {
  id: string;
  reference: string;
  /** Null when it was refused. */
  done: BulkAction | 'takenBack' | null;
  refusals: readonly Refusal[];
  /** Until when it can be taken back; null when it cannot. */
  undoUntil: string | null;
}

/** The server takes so many in one command. */
export const maxBatchSize = 100;

/** Those of the chosen that are still in the list, in its order. */
export function stillChosen(shown: readonly ShownRow[], chosen: ReadonlySet<string>): Row[] {
  return shown
    .flatMap(({ row, left }) => (left === null && chosen.has(row.id) ? [row] : []))
    .slice(0, maxBatchSize);
}

/** The outcomes of a command on the rows, in their order. A row without an answer was not done. */
export function outcomesOf(
  rows: readonly Row[],
  action: BulkAction,
  results: readonly BulkLineFragment[],
  commandRefusals: readonly Refusal[],
): Outcome[] {
  const byId = new Map(results.map((one) => [one.reviewId, one]));
  return rows.map((row) => {
    const result = byId.get(row.id);
    const refusals = result?.userErrors.length ? result.userErrors : result ? [] : commandRefusals;
    const done = result && refusals.length === 0 ? action : null;
    return {
      id: row.id,
      reference: row.case?.reference ?? '',
      done,
      refusals,
      undoUntil: done === 'approved' ? (result?.review?.undoUntil ?? null) : null,
    };
  });
}

/** Whole seconds until the moment; 0 when it has passed. */
export function secondsUntil(iso: string | null, now: number): number {
  return iso === null ? 0 : Math.max(0, Math.ceil((Date.parse(iso) - now) / 1000));
}
