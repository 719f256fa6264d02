// The unsaved rows of the form of line items, as the draft of the review keeps them: rows that are as the
// server has them by their numbers only, because a draft is bounded.
import { columns, emptyRow, isEmptyRow, type LineRow } from './line-rows';

/** The longest text that a draft keeps of the rows, in characters; the server takes drafts of 65,536. */
export const maxLineDraft = 48_000;

/** A run of present items as they are: the first, and how many. */
type Run = readonly [number, number];
/** A changed or new row: the present item that it replaces or null, then its values. */
type Values = readonly [number | null, ...string[]];

interface Stored {
  /** Names the state of the items that the rows replace. */
  basis: string;
  rows: readonly (Run | Values)[];
}

const isRun = (row: Run | Values): row is Run => typeof row[1] === 'number';

const sameRow = (row: LineRow, stored: LineRow | undefined) =>
  stored !== undefined && columns.every((column) => row[column] === stored[column]);

/** The text of the rows for the draft; empty if they are the stored ones. */
export function lineDraftOf(
  rows: readonly LineRow[],
  stored: readonly LineRow[],
  basis: string,
): string {
  const written: (Run | Values)[] = [];
  for (const row of rows) {
    const { from } = row;
    if (from === null || !sameRow(row, stored[from])) {
      if (from !== null || !isEmptyRow(row))
        written.push([from, ...columns.map((column) => row[column])]);
      continue;
    }
    const last = written.at(-1);
    if (last && isRun(last) && last[0] + last[1] === from)
      written[written.length - 1] = [last[0], last[1] + 1];
    else written.push([from, 1]);
  }
  const [only] = written;
  const unchanged =
    stored.length === 0
      ? written.length === 0
      : written.length === 1 && only && isRun(only) && only[1] === stored.length;
  return unchanged ? '' : JSON.stringify({ basis, rows: written } satisfies Stored);
}

/** Reads the text of a draft of any version; null if it is not one. */
function parsed(text: string): Stored | null {
  try {
    const { basis, rows } = JSON.parse(text) as Partial<Stored>;
    const valid = (row: unknown) =>
      Array.isArray(row) &&
      (row.length === 2
        ? row.every(Number.isInteger)
        : row.length === columns.length + 1 &&
          row.slice(1).every((value) => typeof value === 'string'));
    return typeof basis === 'string' && Array.isArray(rows) && rows.every(valid)
      ? { basis, rows }
      : null;
  } catch {
    return null;
  }
}

/**
 * The rows of the form by the text of a draft. If the items are not those that the draft was written for,
 * its changed rows are `apart`: new rows after the stored ones.
 */
export function rowsOfDraft(
  text: string,
  stored: readonly LineRow[],
  basis: string,
): { rows: readonly LineRow[]; apart: number } {
  const draft = parsed(text);
  if (draft === null) return { rows: stored, apart: 0 };
  const withValues = (from: LineRow | undefined, values: Values, key: number): LineRow => ({
    ...(from ?? emptyRow(key)),
    key,
    ...Object.fromEntries(columns.map((column, index) => [column, String(values[index + 1])])),
  });
  if (draft.basis !== basis) {
    const added = draft.rows
      .filter((row): row is Values => !isRun(row))
      .map((values, index) => withValues(undefined, values, stored.length + index));
    return { rows: [...stored, ...added], apart: added.length };
  }
  let next = stored.length;
  const rows = draft.rows.flatMap((row) => {
    if (isRun(row)) return stored.slice(row[0], row[0] + row[1]);
    const from = row[0] === null ? undefined : stored[row[0]];
    return [withValues(from, row, from?.key ?? next++)];
  });
  return { rows, apart: 0 };
}
