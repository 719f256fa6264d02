// Virtual lists, which render only what is visible.
import { useWindowVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type CSSProperties, type ReactNode, useLayoutEffect, useRef, useState } from 'react';

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
  const { list, virtual, placed } = useVirtualRows<HTMLUListElement, Item>({
    ...rows,
    overscan: 8,
  });
  return (
    <ul
      ref={list}
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

const whole = (height: number): CSSProperties => ({ height, position: 'relative' });

type RowsInput<Item> = Pick<VirtualListProps<Item>, 'items' | 'keyOf' | 'estimate'> & {
  /** How many rows are rendered before and after the visible ones. */
  overscan: number;
};

function useVirtualRows<Root extends HTMLElement, Item>(input: RowsInput<Item>) {
  const { items, keyOf, estimate, overscan } = input;
  const list = useRef<Root>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => estimate,
    overscan,
    scrollMargin: top,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
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
