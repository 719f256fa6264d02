// The rows of the queue as they are shown: the server's list, with those that have just left it kept in their places for
// a moment, so that a person sees who has taken what they were about to click.
import type { QueueLiveSubscription, QueueRowFragment } from '../../graphql/generated/graphql';

export type Row = QueueRowFragment;
export type QueueChange = QueueLiveSubscription['reviewQueue'];
export type Left = QueueChange['left'][number];

/** A row that has left the list. */
interface Departed {
  row: Row;
  /** As the review is now. */
  now: Left;
  /** Where it stood among the rows that were shown. */
  at: number;
}

export interface Rows {
  /** The first frame has come. */
  ready: boolean;
  byId: ReadonlyMap<string, Row>;
  order: readonly string[];
  /** Rows behind the live ones, as they were when they were read. */
  more: readonly Row[];
  departed: readonly Departed[];
  total: number;
}

export const emptyRows: Rows = {
  ready: false,
  byId: new Map(),
  order: [],
  more: [],
  departed: [],
  total: 0,
};

/** One row on the page: as it is, or as it left. */
export interface ShownRow {
  row: Row;
  left: Left | null;
}

/** Takes in a frame of the subscription. */
export function applyChange(rows: Rows, change: QueueChange): Rows {
  const byId = new Map(change.snapshot ? [] : rows.byId);
  for (const row of change.upserted) {
    // A frame that was overtaken carries no more than the id: what is known stays.
    if ('version' in row) byId.set(row.id, row);
    else keepKnown(rows, byId, (row as { id: string }).id);
  }
  for (const id of change.removed) byId.delete(id);
  const listed = new Set(change.order);
  const previousRows = shownRows(rows);
  const departed = [
    ...rows.departed.filter((one) => !listed.has(one.row.id)),
    ...change.left.flatMap((now) => departure(previousRows, now, rows)),
  ];
  const more = rows.more.filter((row) => !listed.has(row.id) && !change.removed.includes(row.id));
  return { ready: true, byId, order: change.order, more, departed, total: change.totalCount };
}

function keepKnown(rows: Rows, byId: Map<string, Row>, id: string): void {
  const known = rows.byId.get(id) ?? rows.more.find((row) => row.id === id);
  if (known) byId.set(id, known);
}

function departure(previousRows: ShownRow[], now: Left, rows: Rows): Departed[] {
  const at = previousRows.findIndex((shown) => shown.row.id === now.id);
  const row = rows.byId.get(now.id);
  return row && at >= 0 ? [{ row, now, at }] : [];
}

/** Puts what was read behind the live rows; what is live already is left out. */
export function withMore(rows: Rows, read: readonly Row[]): Rows {
  const known = new Set([...rows.order, ...rows.more.map((row) => row.id)]);
  return { ...rows, more: [...rows.more, ...read.filter((row) => !known.has(row.id))] };
}

/** Lets a row that has left go. */
export function withoutRow(rows: Rows, id: string): Rows {
  return { ...rows, departed: rows.departed.filter((one) => one.row.id !== id) };
}

/** What is shown, in its order. */
export function shownRows(rows: Rows): ShownRow[] {
  const live = rows.order.flatMap((id) => rows.byId.get(id) ?? []);
  const shown: ShownRow[] = [...live, ...rows.more].map((row) => ({ row, left: null }));
  for (const one of [...rows.departed].sort((a, b) => a.at - b.at)) {
    shown.splice(Math.min(one.at, shown.length), 0, { row: one.row, left: one.now });
  }
  return shown;
}
