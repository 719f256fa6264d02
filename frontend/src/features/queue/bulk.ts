// Bulk commands: the selected reviews and their outcomes.
import type { BulkLineFragment } from '../../graphql/generated/graphql';
import type { Refusal } from '../../lib/refusals';
import type { Row, ShownRow } from './rows';

/** A command on the selected reviews. */
export type BulkAction = 'claimed' | 'approved';

/** The outcome for one review. */
export interface Outcome {
  id: string;
  reference: string;
  /** Null if it was refused. */
  done: BulkAction | 'takenBack' | null;
  refusals: readonly Refusal[];
  /** The time until which it can be undone; null if it cannot. */
  undoUntil: string | null;
}

/** The most reviews that are selected together. */
export const maxChosen = 500;
/** The reviews of one command; results are shown after each. */
export const batchSize = 20;

/** The rows in parts of at most the size of a command. */
export function batchesOf<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / batchSize);
  return Array.from({ length: count }, (_, i) => rows.slice(i * batchSize, (i + 1) * batchSize));
}

/** The selected reviews that are still in the list, in its order. */
export function stillChosen(shown: readonly ShownRow[], chosen: ReadonlySet<string>): Row[] {
  return shown
    .flatMap(({ row, left }) => (left === null && chosen.has(row.id) ? [row] : []))
    .slice(0, maxChosen);
}

/** The rows that the command can change: unclaimed ones, or those within the limits of bulk approval. */
export function rowsFor(action: BulkAction, rows: readonly Row[]): Row[] {
  return rows.filter((row) =>
    action === 'claimed' ? row.status === 'OPEN' : row.bulkApproval?.within !== false,
  );
}

/** What excludes the rows from bulk approval, and the limits of the first row that has some. */
export function outsideOf(rows: readonly Row[]) {
  const outside = rows.flatMap(({ bulkApproval }) =>
    bulkApproval && !bulkApproval.within ? [bulkApproval] : [],
  );
  const limits = outside.find(({ maxRisk }) => maxRisk !== null);
  return { count: outside.length, limits: limits ?? null };
}

/** The outcomes of a command, in the order of the rows. A row without a result was not executed. */
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
