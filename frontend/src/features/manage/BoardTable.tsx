// The reviews of the board, as a table or as cards on narrow screens. Rows are selected by mouse or
// keyboard, singly or in ranges.
import { Checkbox } from '@mantine/core';
import { type KeyboardEvent, type MouseEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { VirtualTableRows } from '../../ui/VirtualList';
import { BoardRow } from './BoardRow';
import type { Review } from './board';
import classes from './manage.module.css';
import type { Context } from './reassign';
import type { Sender } from './use-reassign';

/** The height of a row before it is measured, in pixels. */
const estimatedRow = 62;

const idOf = ({ id }: Review) => id;

interface BoardTableProps {
  rows: Review[];
  /** The reviews that have left the list; those with an outcome are still shown. */
  departedReviews: ReadonlyMap<string, Review>;
  context: Context;
  /** Selection is disabled. */
  busy: boolean;
  send: Sender;
}

export function BoardTable({ rows, departedReviews, context, busy, send }: BoardTableProps) {
  const { t } = useTranslation();
  const table = useRef<HTMLTableElement>(null);
  const shift = useRef(false);
  const handleKeys = useRowKeys(table, rows, send);
  const toggle = (review: Review) => {
    if (shift.current) send({ type: 'extend', id: review.id, rows });
    else send({ type: 'toggle', row: review });
  };
  const listed = new Set(rows.map((row) => row.id));
  const departedRows = [...departedReviews.values()].filter(
    (review) => context.outcomes.has(review.id) && !listed.has(review.id),
  );
  if (rows.length + departedRows.length === 0) return null;
  const allChosen = rows.length > 0 && rows.every((row) => context.chosen.has(row.id));
  const someChosen = rows.some((row) => context.chosen.has(row.id));
  return (
    <div className={`cs-card ${classes.board}`}>
      <table
        ref={table}
        className={`cs-table ${classes.table}`}
        data-board
        aria-label={t('manage.reviews')}
        aria-rowcount={rows.length + departedRows.length + 1}
        onKeyDown={handleKeys}
        onClickCapture={(event: MouseEvent) => {
          shift.current = event.shiftKey;
        }}
      >
        <thead>
          <tr aria-rowindex={1}>
            <th>
              <Checkbox
                aria-label={t('manage.chooseShown')}
                checked={allChosen}
                indeterminate={someChosen && !allChosen}
                disabled={busy || rows.length === 0}
                onChange={() =>
                  allChosen ? send({ type: 'clear' }) : send({ type: 'choose', rows })
                }
              />
            </th>
            <th>{t('manage.column.case')}</th>
            <th data-number>{t('manage.column.amount')}</th>
            <th>{t('manage.column.queue')}</th>
            <th>{t('manage.column.who')}</th>
            <th>{t('manage.column.due')}</th>
          </tr>
        </thead>
        <VirtualTableRows items={rows} keyOf={idOf} estimate={estimatedRow}>
          {(review, place) => (
            <BoardRow
              {...place}
              review={review}
              chosen={context.chosen.has(review.id)}
              outcome={context.outcomes.get(review.id)}
              onToggle={busy ? null : toggle}
            />
          )}
        </VirtualTableRows>
        <tbody>
          {departedRows.map((review) => (
            <BoardRow
              key={review.id}
              review={review}
              chosen={false}
              outcome={context.outcomes.get(review.id)}
              onToggle={null}
              departed
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Arrow keys move between the checkboxes; with Shift they extend the selection. */
function useRowKeys(table: React.RefObject<HTMLTableElement | null>, rows: Review[], send: Sender) {
  return (event: KeyboardEvent) => {
    const id = (event.target as HTMLElement).dataset.row;
    const at = rows.findIndex((row) => row.id === id);
    if (at < 0) return;
    const steps: Record<string, number> = { ArrowDown: 1, j: 1, J: 1, ArrowUp: -1, k: -1, K: -1 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const [from, to] = [rows[at], rows[at + step]];
    if (!from || !to) return;
    table.current
      ?.querySelector<HTMLInputElement>(`input[data-row="${CSS.escape(to.id)}"]`)
      ?.focus();
    if (event.shiftKey) {
      send({ type: 'extend', id: from.id, rows });
      send({ type: 'extend', id: to.id, rows });
    }
  };
}
