// The selection of rows of a list, singly or in ranges. It outlives pages and changes of the list.
import { useState } from 'react';

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

/** The selection among the rows, as they are when they are selected. */
export function useSelection<Row extends Identified>(rows: readonly Row[]): Selection<Row> {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map());
  const [anchor, setAnchor] = useState<string | null>(null);
  const add = (more: readonly Row[]) => setChosen((before) => withRows(before, more));
  const remove = (ids: Iterable<string>) => setChosen((before) => withoutRows(before, ids));
  return {
    chosen,
    toggle: (id, range = false) => {
      if (range) add(between(rows, anchor, id));
      else if (chosen.has(id)) remove([id]);
      else add(rows.filter((row) => row.id === id));
      setAnchor(id);
    },
    extend: (from, to) => {
      add(between(rows, from, to));
      setAnchor(to);
    },
    add,
    remove,
    clear: () => {
      setChosen(new Map());
      setAnchor(null);
    },
  };
}
