// The line items as a grid: arrow keys, Tab and Enter move, typing replaces a value, and only visible
// rows are drawn, so that thousands of items stay fast.
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LineCell } from './LineCell';
import classes from './line-grid.module.css';
import { type CellAt, moveOf, pageRows } from './line-keys';
import { type Column, columns, faultOf, isNumeric, type LineRow, plainNumber } from './line-rows';

export interface LineGridProps {
  rows: readonly LineRow[];
  digits: number;
  active: CellAt;
  onActive: (cell: CellAt) => void;
  onChange: (row: number, column: Column, value: string) => void;
  onAdd: (after: number) => void;
  onRemove: (row: number) => void;
  labels: Record<Column, string>;
}

const rowHeight = 34;

/** What a typed text means in its column; text that is no number stays and is marked. */
const entered = (column: Column, text: string): string => {
  if (!isNumeric(column)) return text;
  const read = plainNumber(text.replace(/%$/, ''));
  return 'value' in read ? read.value : text.trim();
};

/** A text as one line, as an input shows it; a text that is not changed keeps its lines. */
const oneLine = (text: string) => text.replaceAll('\n', ' ');

export function LineGrid(props: LineGridProps) {
  const { rows, digits, active, onActive, onChange, onAdd, onRemove, labels } = props;
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const [editing, setEditing] = useState<string | null>(null);
  const focusWanted = useRef(false);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    getItemKey: (index) => rows[index]?.key ?? index,
  });
  const go = useCallback(
    (cell: CellAt) => {
      focusWanted.current = true;
      onActive(cell);
      virtual.scrollToIndex(cell.row);
    },
    [onActive, virtual],
  );
  useEffect(() => {
    if (!focusWanted.current || editing !== null) return;
    const cell = scroller.current?.querySelector<HTMLElement>('[data-active]');
    if (!cell) return; // not drawn yet: the next drawing focuses it
    focusWanted.current = false;
    cell.focus();
  });
  const commit = (text: string, move: CellAt | null) => {
    const column = columns[active.column];
    const row = rows[active.row];
    if (column && row && text !== oneLine(row[column]))
      onChange(active.row, column, entered(column, text));
    setEditing(null);
    focusWanted.current = true;
    if (move && move.row >= rows.length) onAdd(rows.length - 1);
    if (move) go(move);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (editing !== null) return;
    const column = columns[active.column];
    const row = rows[active.row];
    if (!column || !row) return;
    const done = () => {
      event.preventDefault();
      event.stopPropagation(); // keys in the grid are no shortcuts of the page
    };
    if (event.key === 'Insert') {
      done();
      onAdd(active.row);
      return go({ row: active.row + 1, column: 0 });
    }
    if ((event.key === 'Delete' || event.key === 'Backspace') && (event.ctrlKey || event.metaKey)) {
      done();
      return onRemove(active.row);
    }
    if (event.key === 'Delete' || event.key === 'Backspace') {
      done();
      return onChange(active.row, column, '');
    }
    if (event.key === 'Enter' || event.key === 'F2') {
      done();
      return setEditing(oneLine(row[column]));
    }
    const move = moveOf(event, active, rows.length);
    if (move) {
      done();
      return go(move);
    }
    if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      done();
      setEditing(event.key);
    }
  };
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={t('lines.edit.grid')}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      className={classes.grid}
      style={{ maxHeight: rowHeight * (pageRows + 1) }}
      onKeyDown={onKeyDown}
    >
      <div role="row" aria-rowindex={1} className={classes.head}>
        {columns.map((column) => (
          <div key={column} role="columnheader" data-number={isNumeric(column) || undefined}>
            {labels[column]}
          </div>
        ))}
      </div>
      <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (!row) return null;
          return (
            <div
              key={item.key}
              role="row"
              aria-rowindex={item.index + 2}
              className={classes.row}
              style={{ height: rowHeight, transform: `translateY(${item.start}px)` }}
            >
              {columns.map((column, at) => {
                const isActive = active.row === item.index && active.column === at;
                const fault = faultOf(column, row[column], digits);
                return (
                  <LineCell
                    key={column}
                    column={column}
                    label={t('lines.edit.cell', { column: labels[column], row: item.index + 1 })}
                    row={row}
                    digits={digits}
                    fault={fault && t(`lines.edit.faults.${fault}`)}
                    active={isActive}
                    editing={isActive ? editing : null}
                    onPick={() => {
                      if (isActive && editing !== null) return;
                      go({ row: item.index, column: at });
                    }}
                    onEdit={() => {
                      onActive({ row: item.index, column: at });
                      setEditing(oneLine(row[column]));
                    }}
                    onCommit={(text, step) =>
                      commit(
                        text,
                        step && moveOf({ ...step, ctrlKey: false }, active, rows.length, true),
                      )
                    }
                    onCancel={() => {
                      setEditing(null);
                      focusWanted.current = true;
                    }}
                  />
                );
              })}
            </div>
          );
        })}
      </div>
    </div>
  );
}
