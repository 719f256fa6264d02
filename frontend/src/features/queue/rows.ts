// The rows of the queue as shown. A row that has just left the list keeps its position for a
// moment, so that the user sees who claimed it.
import type { QueueLiveSubscription, QueueRowFragment } from '../../graphql/generated/graphql';
import type { SelectedCase } from '../../ui/BulkActions';

export type Row = QueueRowFragment;
export type QueueChange = QueueLiveSubscription['reviewQueue'];
export type Left = QueueChange['removedReviews'][number];

/** A row that has left the list. */
interface Departed {
  row: Row;
  /** The present state of the review. */
  now: Left;
  /** Its last position among the rows. */
  at: number;
}

export interface Rows {
  /** Whether the first frame has arrived. */
  ready: boolean;
  byId: ReadonlyMap<string, Row>;
  order: readonly string[];
  /** The rows after the live ones, as loaded. */
  more: readonly Row[];
  /** Whether the last page that was read has no next one; null before the first is read. */
  lastRead: boolean | null;
  departed: readonly Departed[];
  /** Counted up to `countedUpTo`. */
  total: number;
  /** How many of them one person can decide. */
  decidable: number;
}

export const emptyRows: Rows = {
  ready: false,
  byId: new Map(),
  order: [],
  more: [],
  lastRead: null,
  departed: [],
  total: 0,
  decidable: 0,
};

/** A row of the page; `left` is set after it has left the list. */
export interface ShownRow {
  row: Row;
  left: Left | null;
}

/** Applies a frame of the subscription. */
export function applyChange(rows: Rows, change: QueueChange): Rows {
  const byId = new Map(change.snapshot ? [] : rows.byId);
  // Of an outdated row the cache returns the id alone, or null if it holds only a part of the newer
  // one; the known row stays until the next frame.
  for (const row of change.upserted as (Row | null)[])
    if (row && 'version' in row) byId.set(row.id, row);
  for (const id of change.order) if (!byId.has(id)) keepKnown(rows, byId, id);
  for (const id of change.removed) byId.delete(id);
  const listed = new Set(change.order);
  const previousRows = shownRows(rows);
  const departed = [
    ...rows.departed.filter((one) => !listed.has(one.row.id)),
    ...change.removedReviews.flatMap((now) => departure(previousRows, now, rows)),
  ];
  const more = rows.more.filter((row) => !listed.has(row.id) && !change.removed.includes(row.id));
  return {
    ...rows,
    ready: true,
    byId,
    order: change.order,
    more,
    departed,
    total: change.totalCount,
    decidable: change.decidableCount,
  };
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

/** Appends the loaded rows after the live ones, without duplicates. `last`: no page follows them. */
export function withMore(rows: Rows, read: readonly Row[], last: boolean): Rows {
  const known = new Set([...rows.order, ...rows.more.map((row) => row.id)]);
  const more = [...rows.more, ...read.filter((row) => !known.has(row.id))];
  return { ...rows, more, lastRead: last };
}

/** Whether the list has rows that are not loaded. */
export function hasMore({ ready, order, more, total, lastRead }: Rows): boolean {
  return ready && (lastRead === false || order.length + more.length < total);
}

/** Removes a row that has left the list. */
export function withoutRow(rows: Rows, id: string): Rows {
  return { ...rows, departed: rows.departed.filter((one) => one.row.id !== id) };
}

/** The rows in the order of the page. */
export function shownRows(rows: Rows): ShownRow[] {
  const live = rows.order.flatMap((id) => rows.byId.get(id) ?? []);
  const listed = oneSeatEach([...live, ...rows.more]);
  const shown: ShownRow[] = listed.map((row) => ({ row, left: null }));
  for (const one of [...rows.departed].sort((a, b) => a.at - b.at)) {
    shown.splice(Math.min(one.at, shown.length), 0, { row: one.row, left: one.now });
  }
  return shown;
}

/**
 * The rows without the further free seats of a committee, because a person votes once: what the person has claimed
 * or was assigned comes before a free seat. Seats of another queue or level have another role.
 */
function oneSeatEach(rows: readonly Row[]): Row[] {
  const best = new Map<string, Row>();
  const groupOf = ({ committee, case: its, node, queue, level }: Row) =>
    committee && its ? `${its.id} ${node} ${queue} ${level}` : null;
  const rank = ({ status, assignee }: Row) => (status === 'CLAIMED' ? 0 : assignee ? 1 : 2);
  for (const row of rows) {
    const group = groupOf(row);
    const before = group === null ? undefined : best.get(group);
    if (group !== null && (!before || rank(row) < rank(before))) best.set(group, row);
  }
  return rows.filter((row) => {
    const group = groupOf(row);
    return group === null || row.status === 'CLAIMED' || best.get(group) === row;
  });
}

/** The cases of the selected rows, each once. */
export function selectedCases(rows: readonly Row[]): SelectedCase[] {
  const cases = new Map(
    rows.flatMap((row) => (row.case ? [[row.case.id, row.case] as const] : [])),
  );
  return [...cases.values()].map(({ id, reference, version, final }) => ({
    id,
    reference,
    version,
    final,
  }));
}
