// One cell of the grid of line items. While it is edited, its text is local, so that a key draws this cell
// alone.
import type { TFunction } from 'i18next';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LineItemInput } from '../../graphql/generated/bounds';
import { groupedAmount } from '../../lib/money';
import { unitText } from '../../lib/units';
import classes from './line-grid.module.css';
import { addsUp, type Column, isNumeric, type LineRow } from './line-rows';

interface LineCellProps {
  column: Column;
  /** The column and the row, for the input. */
  label: string;
  row: LineRow;
  digits: number;
  /** What is wrong with the value; null if nothing. */
  fault: string | null;
  active: boolean;
  /** The text with which editing begins; null while it is not edited. */
  editing: string | null;
  onKeyDown: (event: KeyboardEvent) => void;
  onPick: () => void;
  onEdit: () => void;
  /** The key that ended editing; null for another way. */
  onCommit: (text: string, step: { key: string; shiftKey: boolean } | null) => void;
  onCancel: () => void;
}

export function LineCell(props: LineCellProps) {
  const { column, row, digits, fault, active, editing, onPick, onEdit, onKeyDown } = props;
  const { t, i18n } = useTranslation();
  const differs = column === 'amount' && addsUp(row, digits) === false;
  const note = fault ?? (differs ? t('lines.rowDiffers') : null);
  return (
    <td
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of an ARIA grid
      role="gridcell"
      aria-invalid={fault !== null || undefined}
      tabIndex={active && editing === null ? 0 : -1}
      data-active={active || undefined}
      data-number={isNumeric(column) || undefined}
      data-column={column}
      data-fault={fault !== null || undefined}
      data-differs={differs || undefined}
      className={classes.cell}
      title={[row[column], note].filter(Boolean).join(' · ') || undefined}
      onClick={onPick}
      onDoubleClick={onEdit}
      onKeyDown={onKeyDown}
    >
      {editing === null ? (
        <>
          <bdi>{cellText(t, i18n.language, column, row[column])}</bdi>
          {note && <span className="cs-visually-hidden">{` (${note})`}</span>}
        </>
      ) : (
        <CellInput {...props} initial={editing} />
      )}
    </td>
  );
}

/** A value as other pages show it; while it is edited, it is what is saved. */
function cellText(t: TFunction<'translation'>, language: string, column: Column, value: string) {
  if (column === 'unit') return unitText(t, value);
  return isNumeric(column) ? groupedAmount(value, language) : value.replaceAll('\n', ' ');
}

function CellInput({
  column,
  label,
  initial,
  onCommit,
  onCancel,
}: LineCellProps & { initial: string }) {
  const [text, setText] = useState(initial);
  const input = useRef<HTMLInputElement>(null);
  const ended = useRef(false);
  useEffect(() => input.current?.focus(), []);
  const end = (step: { key: string; shiftKey: boolean } | null) => {
    if (ended.current) return;
    ended.current = true;
    onCommit(text, step);
  };
  return (
    <input
      ref={input}
      dir="auto"
      aria-label={label}
      className={classes.input}
      maxLength={LineItemInput[column]}
      inputMode={isNumeric(column) ? 'decimal' : 'text'}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => end(null)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Enter' || event.key === 'Tab') {
          event.preventDefault();
          event.stopPropagation();
          end({ key: event.key, shiftKey: event.shiftKey });
        }
        if (event.key === 'Escape') {
          event.stopPropagation();
          ended.current = true;
          onCancel();
        }
      }}
    />
  );
}
