// The selection of rows of a list, singly or in ranges. It outlives pages and changes of the list.
import { useEffect, useMemo, useRef, useState } from 'react';

interface Identified {
  id: string;
}

/** The most rows that are selected together. */
export const maxSelected = 500;

/** The rows between two rows, inclusive; only the second if the first is not in the list. */
export function between<Row extends Identified>(
  rows: readonly Row[],
  from: string | null,
  to: string,
): Row[] {
  const end = rows.findIndex((row) => row.id === to);
  const begin = rows.findIndex((row) => row.id === from);
  if (end < 0) return [];
  return begin < 0
    ? rows.slice(end, end + 1)
    : rows.slice(Math.min(begin, end), Math.max(begin, end) + 1);
}

/** The selection with further rows, up to the bound; rows that it has keep their state of then. */
export function withRows<Row extends Identified>(
  chosen: ReadonlyMap<string, Row>,
  rows: readonly Row[],
): Map<string, Row> {
  const next = new Map(chosen);
  for (const row of rows) {
    if (next.size >= maxSelected) break;
    if (!next.has(row.id)) next.set(row.id, row);
  }
  return next;
}

export function withoutRows<Row>(
  chosen: ReadonlyMap<string, Row>,
  ids: Iterable<string>,
): Map<string, Row> {
  const next = new Map(chosen);
  for (const id of ids) next.delete(id);
  return next;
}

export interface Selection<Row> {
  chosen: ReadonlyMap<string, Row>;
  /** Selects or deselects a row; with `range`, selects all rows from the last one to it. */
  toggle: (id: string, range?: boolean) => void;
  /** Selects a row and the one after or before it, and moves the start of the next range there. */
  extend: (from: string, to: string) => void;
  add: (rows: readonly Row[]) => void;
  remove: (ids: Iterable<string>) => void;
  clear: () => void;
}

interface State<Row> {
  chosen: ReadonlyMap<string, Row>;
  /** Where the next range starts. */
  anchor: string | null;
}

/**
 * The selection among the rows, as they are when they are selected. Its functions are the same for each
 * rendering, so that no row is drawn again because of them.
 */
export function useSelection<Row extends Identified>(rows: readonly Row[]): Selection<Row> {
  const [{ chosen }, setState] = useState<State<Row>>({ chosen: new Map(), anchor: null });
  const listed = useRef(rows);
  useEffect(() => {
    listed.current = rows;
  });
  const functions = useMemo((): Omit<Selection<Row>, 'chosen'> => {
    const change = (next: (chosen: State<Row>['chosen']) => State<Row>['chosen']) =>
      setState((before) => ({ ...before, chosen: next(before.chosen) }));
    const extendTo = (from: (before: State<Row>) => string | null, to: string) =>
      setState((before) => ({
        chosen: withRows(before.chosen, between(listed.current, from(before), to)),
        anchor: to,
      }));
    return {
      toggle: (id, range = false) => {
        if (range) extendTo(({ anchor }) => anchor, id);
        else
          setState(({ chosen: before }) => ({
            chosen: before.has(id)
              ? withoutRows(before, [id])
              : withRows(before, between(listed.current, null, id)),
            anchor: id,
          }));
      },
      extend: (from, to) => extendTo(() => from, to),
      add: (more) => change((before) => withRows(before, more)),
      remove: (ids) => change((before) => withoutRows(before, ids)),
      clear: () => setState({ chosen: new Map(), anchor: null }),
    };
  }, []);
  return { chosen, ...functions };
}
