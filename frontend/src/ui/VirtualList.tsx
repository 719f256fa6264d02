// A virtual list, which renders only its visible rows.
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

interface VirtualListProps<Item> {
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** The estimated row height in pixels before measuring. */
  estimate: number;
  label: string;
  children: (item: Item, index: number) => ReactNode;
}

/** A list that scrolls with the page; rows are measured and may differ in height. */
export function VirtualList<Item>({
  items,
  keyOf,
  estimate,
  label,
  children,
}: VirtualListProps<Item>) {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => estimate,
    overscan: 8,
    scrollMargin: top,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
  });
  return (
    <ul
      ref={list}
      aria-label={label}
      style={{
        height: virtual.getTotalSize(),
        position: 'relative',
        margin: 0,
        padding: 0,
        listStyle: 'none',
      }}
    >
      {virtual.getVirtualItems().map((row) => {
        const item = items[row.index];
        return item === undefined ? null : (
          <li
            key={row.key}
            data-index={row.index}
            ref={virtual.measureElement}
            style={{
              position: 'absolute',
              insetInline: 0,
              top: 0,
              transform: `translateY(${row.start - top}px)`,
            }}
          >
            {children(item, row.index)}
          </li>
        );
      })}
    </ul>
  );
}
