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
  const drawn = virtual.getVirtualItems();
  const above = drawn[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (drawn.at(-1)?.end ?? 0);
  return (
    <div ref={scroller} className={classes.grid} style={{ maxHeight: rowHeight * (pageRows + 1) }}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the pattern of an ARIA grid
        role="grid"
        aria-label={t('lines.edit.grid')}
        aria-rowcount={rows.length + 1}
        className={classes.table}
      >
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                className={classes[column]}
                data-number={isNumeric(column) || undefined}
              >
                {labels[column]}
              </th>
            ))}
          </tr>
        </thead>
        <Space height={above} />
        <tbody>
          {drawn.map(({ index, key }) => {
            const row = rows[index];
            return (
              row && (
                <tr key={key} aria-rowindex={index + 2} style={{ height: rowHeight }}>
                  {columns.map((column, at) => {
                    const isActive = active.row === index && active.column === at;
                    const fault = faultOf(column, row[column], digits);
                    return (
                      <LineCell
                        key={column}
                        column={column}
                        label={t('lines.edit.cell', { column: labels[column], row: index + 1 })}
                        row={row}
                        digits={digits}
                        fault={fault && t(`lines.edit.faults.${fault}`)}
                        active={isActive}
                        editing={isActive ? editing : null}
                        onKeyDown={onKeyDown}
                        onPick={() => {
                          if (!isActive || editing === null) go({ row: index, column: at });
                        }}
                        onEdit={() => {
                          onActive({ row: index, column: at });
                          setEditing(oneLine(row[column]));
                        }}
                        onCommit={(text, step) =>
                          commit(text, step && moveOf(step, active, rows.length, true))
                        }
                        onCancel={() => {
                          setEditing(null);
                          focusWanted.current = true;
                        }}
                      />
                    );
                  })}
                </tr>
              )
            );
          })}
        </tbody>
        <Space height={below} />
      </table>
    </div>
  );
}

/** The place of rows that are not drawn. */
function Space({ height }: { height: number }) {
  return height <= 0 ? null : (
    <tbody aria-hidden="true">
      <tr style={{ height }}>
        <td colSpan={columns.length} />
      </tr>
    </tbody>
  );
}
