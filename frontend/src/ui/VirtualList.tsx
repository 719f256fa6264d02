// Virtual lists, which render only what is visible.
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
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

interface VirtualListProps<Item> {
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** The estimated row height in pixels before measuring. */
  estimate: number;
  label: string;
  children: (item: Item, index: number) => ReactNode;
}

/** A list that scrolls with the page; rows are measured and may differ in height. */
export function VirtualList<Item>({ label, children, ...rows }: VirtualListProps<Item>) {
  const { kept, handlers } = useFocusedRow();
  const { list, virtual, placed } = useVirtualRows<HTMLUListElement, Item>({
    ...rows,
    overscan: 8,
    kept,
  });
  return (
    <ul
      ref={list}
      {...handlers}
      aria-label={label}
      style={{ ...whole(virtual.getTotalSize()), margin: 0, padding: 0, listStyle: 'none' }}
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

interface VirtualPagesProps<Item> extends Omit<VirtualListProps<Item>, 'label' | 'children'> {
  /** `height` is that of the page, or an estimate. */
  children: (item: Item, index: number, height: number) => ReactNode;
}

/** The pages of a long list, of which only those in the window and beside it are rendered. */
export function VirtualPages<Item>({ children, ...pages }: VirtualPagesProps<Item>) {
  const { list, virtual, placed } = useVirtualRows<HTMLDivElement, Item>({ ...pages, overscan: 1 });
  return (
    <div ref={list} style={whole(virtual.getTotalSize())}>
      {virtual.getVirtualItems().map((page) => {
        const item = pages.items[page.index];
        return item === undefined ? null : (
          <div
            key={page.key}
            data-index={page.index}
            ref={virtual.measureElement}
            style={placed(page)}
          >
            {children(item, page.index, page.size)}
          </div>
        );
      })}
    </div>
  );
}

/** What a row of a virtual table needs to be measured and counted. */
export interface VirtualRow {
  ref: (row: HTMLTableRowElement | null) => void;
  'data-index': number;
  'aria-rowindex': number;
}

interface VirtualTableRowsProps<Item> extends Omit<VirtualListProps<Item>, 'label' | 'children'> {
  /** A row; the first one of `items` is the second of the table, after its head. */
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
    overscan: 8,
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
            {children(item, {
              ref: virtual.measureElement,
              'data-index': row.index,
              'aria-rowindex': row.index + 2,
            })}
          </Fragment>
        );
      })}
    </tbody>
  );
}

const whole = (height: number): CSSProperties => ({ height, position: 'relative' });

type RowsInput<Item> = Pick<VirtualListProps<Item>, 'items' | 'keyOf' | 'estimate'> & {
  /** How many rows are rendered before and after the visible ones. */
  overscan: number;
  /** The indices of rows that are rendered wherever the window is. */
  kept?: readonly number[];
};

function useVirtualRows<Root extends HTMLElement, Item>(input: RowsInput<Item>) {
  const { items, keyOf, estimate, overscan, kept = [] } = input;
  const list = useRef<Root>(null);
  const [top, setTop] = useState(0);
  // What is above the list may change its height, for example when it is loaded.
  useLayoutEffect(() => {
    if (list.current) setTop(Math.round(list.current.getBoundingClientRect().top + scrollY));
  });
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => estimate,
    overscan,
    scrollMargin: top,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
    rangeExtractor: (range) => {
      const inList = kept.filter((index) => index >= 0 && index < items.length);
      return withKept(defaultRangeExtractor(range), inList);
    },
  });
  const placed = (row: VirtualItem): CSSProperties => ({
    position: 'absolute',
    insetInline: 0,
    top: 0,
    transform: `translateY(${row.start - top}px)`,
  });
  return { list, virtual, placed };
}

function withKept(indices: number[], kept: readonly number[]): number[] {
  return kept.length === 0 ? indices : [...new Set([...indices, ...kept])].sort((a, b) => a - b);
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
