// Virtual lists, which render only the rows in the window and beside it.
import {
  defaultRangeExtractor,
  useWindowVirtualizer,
  type VirtualItem,
} from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type FocusEvent,
  Fragment,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';

interface VirtualListProps<Item> {
  items: readonly Item[];
  /** Should be the same function for each rendering, otherwise all rows are placed again. */
  keyOf: (item: Item) => string;
  /** The estimated row height in pixels before measuring. */
  estimate: number;
  label: string;
  children: (item: Item, index: number) => ReactNode;
  /** Called with the first and last row in the window when they change; the same function each time. */
  onShown?: (first: number, last: number) => void;
}

/** A list that scrolls with the page; rows are measured and may differ in height. */
export function VirtualList<Item>({ label, children, ...rows }: VirtualListProps<Item>) {
  const { kept, handlers } = useFocusedRow();
  const { list, virtual, printing, placed } = useVirtualRows<HTMLUListElement, Item>({
    ...rows,
    kept,
  });
  const height = printing ? 'auto' : virtual.getTotalSize();
  return (
    <ul
      ref={list}
      {...handlers}
      aria-label={label}
      style={{ height, position: 'relative', margin: 0, padding: 0, listStyle: 'none' }}
    >
      {virtual.getVirtualItems().map((row) => {
        const item = rows.items[row.index];
        return item === undefined ? null : (
          <li key={row.key} data-index={row.index} ref={virtual.measureElement} style={placed(row)}>
            {children(item, row.index)}
          </li>
        );
      })}
    </ul>
  );
}

/** What a row of a virtual table needs to be measured and counted. The values of a row stay the same. */
export interface VirtualRow {
  measure: (row: HTMLTableRowElement | null) => void;
  index: number;
}

/** The attributes of the element of a row. */
export const rowAttributes = ({ measure, index }: VirtualRow) => ({
  ref: measure,
  'data-index': index,
  // The head of the table is the first.
  'aria-rowindex': index + 2,
});

interface VirtualTableRowsProps<Item> extends Omit<VirtualListProps<Item>, 'label' | 'children'> {
  children: (item: Item, row: VirtualRow) => ReactNode;
}

/**
 * The body of a long table, which renders the rows in the window, the first, the last and the one with
 * the focus. The height of the others is kept by empty rows.
 */
export function VirtualTableRows<Item>({ children, ...rows }: VirtualTableRowsProps<Item>) {
  const { kept, handlers } = useFocusedRow();
  const { list, virtual } = useVirtualRows<HTMLTableSectionElement, Item>({
    ...rows,
    kept: [0, rows.items.length - 1, ...kept],
  });
  const shown = virtual.getVirtualItems();
  return (
    <tbody ref={list} {...handlers}>
      {shown.map((row, at) => {
        const item = rows.items[row.index];
        const gap = row.start - (shown[at - 1]?.end ?? row.start);
        return item === undefined ? null : (
          <Fragment key={row.key}>
            {gap > 0 && <tr aria-hidden style={{ height: gap }} />}
            {children(item, { measure: virtual.measureElement, index: row.index })}
          </Fragment>
        );
      })}
    </tbody>
  );
}

/** How many rows are rendered before and after the visible ones. */
const overscan = 8;
/** The longest list of which all rows are printed; of a longer one, those in the window are. */
const printedRows = 1_000;

type RowsInput<Item> = Omit<VirtualListProps<Item>, 'label' | 'children'> & {
  /** The indices of rows that are rendered wherever the window is. */
  kept: readonly number[];
};

function useVirtualRows<Root extends HTMLElement, Item>(input: RowsInput<Item>) {
  const { items, keyOf, estimate, kept, onShown } = input;
  const list = useRef<Root>(null);
  const [top, setTop] = useState(0);
  const printing = usePrinting() && items.length <= printedRows;
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => estimate,
    overscan: printing ? items.length : overscan,
    scrollMargin: top,
    // A new function lets the virtualizer compute the places of all rows again.
    getItemKey: useCallback(
      (index: number) => {
        const item = items[index];
        return item === undefined ? index : keyOf(item);
      },
      [items, keyOf],
    ),
    rangeExtractor: (range) => {
      const inList = kept.filter((index) => index >= 0 && index < items.length);
      return withKept(defaultRangeExtractor(range), inList);
    },
  });
  // What is above the list may change its height, for example when it is loaded, but not while it scrolls.
  useLayoutEffect(() => {
    if (list.current && !virtual.isScrolling)
      setTop(Math.round(list.current.getBoundingClientRect().top + scrollY));
  });
  const first = virtual.range?.startIndex ?? 0;
  const last = virtual.range?.endIndex ?? 0;
  useEffect(() => onShown?.(first, last), [onShown, first, last]);
  const placed = (row: VirtualItem): CSSProperties =>
    printing
      ? {}
      : {
          position: 'absolute',
          insetInline: 0,
          top: 0,
          transform: `translateY(${row.start - top}px)`,
        };
  return { list, virtual, printing, placed };
}

function withKept(indices: number[], kept: readonly number[]): number[] {
  return kept.length === 0 ? indices : [...new Set([...indices, ...kept])].sort((a, b) => a - b);
}

/** Whether the page is printed. The component is rendered before the browser draws the paper. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return printing;
}

/**
 * The row with the focus and those beside it. They are rendered before the next key, which may move the focus
 * before the window is drawn again.
 */
function useFocusedRow() {
  const [focused, setFocused] = useState<number | null>(null);
  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const index = event.target.closest<HTMLElement>('[data-index]')?.dataset.index;
    setFocused(index === undefined ? null : Number(index));
  };
  return {
    kept: focused === null ? [] : [focused - 1, focused, focused + 1],
    handlers: { onFocus, onBlur: () => setFocused(null) },
  };
}
