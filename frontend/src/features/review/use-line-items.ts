// The line items while a reviewer changes them: their rows, what is wrong with them, and saving them.
import { useCallback, useMemo, useState } from 'react';
import { digitsOf } from '../../lib/minor-units';
import { lineDraftOf, rowsOfDraft } from './line-draft';
import type { CellAt } from './line-keys';
import {
  type Column,
  columns,
  emptyRow,
  equalsAmount,
  firstFault,
  inputOf,
  isEmptyRow,
  type LineRow,
  rowsOf,
  type StoredItem,
  sumOf,
} from './line-rows';

interface LineItemsInput {
  items: readonly StoredItem[];
  /** The text of the draft of an earlier visit, and the name of the present state of the items. */
  draft: string;
  basis: string;
  currency: string;
  /** What the document adds to the sum of its items; empty means nothing. */
  adjustment: string;
  net: string;
  total: string;
}

export function useLineItems(input: LineItemsInput) {
  const { items, draft, basis, currency, adjustment, net, total } = input;
  const stored = useMemo(() => rowsOf(items), [items]);
  const [restored] = useState(() => rowsOfDraft(draft, stored, basis));
  const [rows, setRows] = useState(restored.rows);
  const [nextKey, setNextKey] = useState(() => 1 + Math.max(-1, ...keysOf(stored, rows)));
  const [active, setActive] = useState<CellAt>({ row: 0, column: 0 });
  const digits = digitsOf(currency) ?? 2;
  const change = useCallback(
    (at: number, column: Column, value: string) =>
      setRows((now) =>
        now[at]?.[column] === value
          ? now
          : now.map((row, index) => (index === at ? { ...row, [column]: value } : row)),
      ),
    [],
  );
  const add = (after: number) => {
    setRows((now) => now.toSpliced(after + 1, 0, emptyRow(nextKey)));
    setNextKey(nextKey + 1);
  };
  const remove = (at: number) => {
    setRows((now) => now.toSpliced(at, 1));
    setActive(({ row, column }) => ({ row: Math.max(0, Math.min(row, rows.length - 2)), column }));
  };
  const take = (found: readonly LineRow[], replace: boolean) => {
    const added = found.map((row, index) => ({ ...row, key: nextKey + index }));
    setNextKey(nextKey + added.length);
    setRows((now) => [...(replace ? [] : now.filter((row) => !isEmptyRow(row))), ...added]);
    setActive({ row: 0, column: 0 });
  };
  const sums = useMemo(() => {
    const amounts = rows.filter((row) => !isEmptyRow(row)).map(({ amount }) => amount);
    const sum = sumOf(amounts, digits);
    if (sum === null) return { count: amounts.length, sum, differences: null };
    const whole = sumOf(adjustment === '' ? [sum] : [sum, adjustment], digits) ?? sum;
    const less = (amount: string) =>
      sumOf([whole, amount.startsWith('-') ? amount.slice(1) : `-${amount}`], digits);
    const equal = (amount: string) => amount !== '' && equalsAmount(whole, amount, digits);
    return {
      count: amounts.length,
      sum,
      equals: equal(net) ? ('net' as const) : equal(total) ? ('total' as const) : null,
      differences: { net: net && less(net), total: total && less(total) },
    };
  }, [rows, digits, adjustment, net, total]);
  const fault = useMemo(() => firstFault(rows, digits), [rows, digits]);
  const changed = useMemo(() => {
    const input = inputOf(rows, stored);
    const kept = input.every((row, index) => 'kept' in row && row.from === index);
    return !kept || input.length !== stored.length;
  }, [rows, stored]);
  return {
    rows,
    digits,
    active,
    setActive,
    change,
    add,
    remove,
    take,
    sums,
    fault,
    changed,
    /** How many rows of the draft were added at the end, because the items are others now. */
    apart: restored.apart,
    draft: () => lineDraftOf(rows, stored, basis),
    input: () => inputOf(rows, stored),
  };
}

const keysOf = (...lists: readonly (readonly LineRow[])[]) =>
  lists.flatMap((rows) => rows.map(({ key }) => key));

export const columnLabels = (label: (column: Column) => string): Record<Column, string> =>
  Object.fromEntries(columns.map((column) => [column, label(column)])) as Record<Column, string>;
