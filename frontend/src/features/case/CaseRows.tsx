// The rows of the case list: a table, or cards in narrow windows. A row is made of plain elements, because
// new ones are drawn in each frame while the list is scrolled.
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { reviewOfStep } from '../../lib/deadline';
import { nextStepMessage } from '../../lib/next-step';
import { hasRole, reviewerRoles, usePerson } from '../../lib/session';
import { CaseAmount, DifferingFields } from '../../ui/CaseAmount';
import { rowName, UncertainFile, UncertainMark } from '../../ui/Counterparty';
import { DocumentTypeName } from '../../ui/DocumentTypeName';
import { StatusBadge } from '../../ui/StatusBadge';
import {
  rowAttributes,
  VirtualList,
  type VirtualRow,
  VirtualTableRows,
} from '../../ui/VirtualList';
import { ReviewDeadline, Timestamp } from '../../ui/values';
import classes from './case.module.css';
import type { Column } from './case-search';
import type { Row } from './use-case-pages';

/** The heights of a row and of a card before they are measured, in pixels. */
const estimatedRow = 61;
const estimatedCard = 170;

/** The next step of the case and its due time. */
function NextStepCell({ row }: { row: Row }) {
  const { t } = useTranslation();
  const staff = hasRole(usePerson(), ...reviewerRoles, 'auditor');
  const review = row.next.late ? null : reviewOfStep(row.next);
  return (
    <>
      {nextStepMessage(t, row.next, !staff)}{' '}
      {review && (
        <span className={classes.due}>
          <ReviewDeadline review={review} />
        </span>
      )}
      {row.next.by && !review && (
        <span className={classes.due} data-late={row.next.late || undefined}>
          {row.next.late ? t('caseLabels.next.late') : t('caseLabels.next.by')}{' '}
          <Timestamp iso={row.next.by} />
        </span>
      )}
    </>
  );
}

interface RowsProps {
  rows: readonly Row[];
  chosen: ReadonlyMap<string, unknown>;
  /** Selects or deselects a row; `range` selects all rows from the last one to it. */
  onChoose: (id: string, range: boolean) => void;
  /** Called with the first and last row in the window when they change. */
  onShown: (first: number, last: number) => void;
}

interface RowProps extends Pick<RowsProps, 'onChoose'> {
  row: Row;
  chosen: boolean;
}

function Choice({ row, chosen, onChoose }: RowProps) {
  const { t } = useTranslation();
  return (
    <input
      type="checkbox"
      className={classes.choice}
      aria-label={t('case.cases.choose', { reference: row.reference })}
      checked={chosen}
      onChange={({ nativeEvent }) =>
        onChoose(row.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
      }
    />
  );
}

const idOf = ({ id }: Row) => id;

/** What a column needs of the width, beside the others. Without widths, each row that is drawn would move them. */
const widths: Record<Column | 'reference', number> = {
  reference: 13,
  party: 21,
  type: 12,
  amount: 17,
  risk: 6,
  status: 11,
  next: 27,
  submitter: 12,
  source: 9,
  submitted: 13,
  updated: 12,
};

interface CaseTableProps extends RowsProps {
  shown: readonly Column[];
  /** There are no further pages. */
  complete: boolean;
}

const isNumber = (column: Column) => column === 'amount' || column === 'risk' || undefined;

export function CaseTable({ rows, chosen, onChoose, onShown, shown, complete }: CaseTableProps) {
  const { t } = useTranslation();
  const all = (['reference', ...shown] as const).reduce((sum, column) => sum + widths[column], 0);
  const width = (column: keyof typeof widths) => ({ width: `${(100 * widths[column]) / all}%` });
  return (
    <div className="cs-card" style={{ padding: 0, overflowX: 'auto' }}>
      <table className="cs-table" aria-rowcount={complete ? rows.length + 1 : -1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" className={classes.choiceCell}>
              <span className="cs-visually-hidden">{t('case.cases.selection')}</span>
            </th>
            <th scope="col" style={width('reference')}>
              {t('case.cases.reference')}
            </th>
            {shown.map((column) => (
              <th key={column} scope="col" data-number={isNumber(column)} style={width(column)}>
                {t(`case.cases.column.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <VirtualTableRows items={rows} keyOf={idOf} estimate={estimatedRow} onShown={onShown}>
          {(row, place) => (
            <CaseRow
              {...place}
              row={row}
              shown={shown}
              chosen={chosen.has(row.id)}
              onChoose={onChoose}
            />
          )}
        </VirtualTableRows>
      </table>
    </div>
  );
}

interface CaseRowProps extends RowProps, VirtualRow {
  shown: readonly Column[];
}

const CaseRow = memo(function CaseRow({ shown, measure, index, ...choice }: CaseRowProps) {
  const { row, chosen } = choice;
  return (
    <tr {...rowAttributes({ measure, index })} data-row={row.id} data-chosen={chosen || undefined}>
      <td className={classes.choiceCell}>
        <Choice {...choice} />
      </td>
      <td className="cs-numbers">
        <Link to="/cases/$id" params={{ id: row.reference }}>
          {row.reference}
        </Link>
      </td>
      {shown.map((column) => (
        <td key={column} data-number={isNumber(column)}>
          <Cell row={row} column={column} />
        </td>
      ))}
    </tr>
  );
});

function Cell({ row, column }: { row: Row; column: Column }) {
  const { t } = useTranslation();
  switch (column) {
    case 'party':
      return (
        <>
          <div className="cs-lines2" title={row.counterparty}>
            {row.counterparty || '–'} <UncertainMark of={row} />
          </div>
          <div className="cs-secondary cs-lines2" title={row.document?.fileName}>
            {row.document?.fileName}
          </div>
          <DifferingFields names={row.differingFields} />
        </>
      );
    case 'type':
      return <DocumentTypeName type={row.documentType} />;
    case 'amount':
      return <CaseAmount amounts={row} stacked />;
    case 'risk':
      if (row.risk !== null && !row.assessed) return t('caseLabels.notAssessed');
      return row.risk ?? '–';
    case 'status':
      return <StatusBadge status={row.status} />;
    case 'next':
      return <NextStepCell row={row} />;
    case 'submitter':
      return row.submitter?.name ?? '–';
    case 'source':
      return <Source row={row} />;
    case 'submitted':
      return <Timestamp iso={row.createdAt} as="moment" />;
    case 'updated':
      return <Timestamp iso={row.updatedAt} />;
  }
}

function Source({ row }: { row: Row }) {
  const { t } = useTranslation();
  return <>{t(`case.cases.sources.${row.channel.toLowerCase() as 'web'}`)}</>;
}

/** The rows as cards, for narrow windows. */
export function CaseCards({ rows, chosen, onChoose, onShown }: RowsProps) {
  const { t } = useTranslation();
  return (
    <VirtualList
      items={rows}
      keyOf={idOf}
      estimate={estimatedCard}
      label={t('titles.cases')}
      onShown={onShown}
    >
      {(row) => <CaseCard row={row} chosen={chosen.has(row.id)} onChoose={onChoose} />}
    </VirtualList>
  );
}

const nameOf = (row: Row) => rowName(row.counterparty, row.document?.fileName);

const CaseCard = memo(function CaseCard(choice: RowProps) {
  const { row } = choice;
  return (
    <div className={classes.cardPlace}>
      <div className="cs-card" data-row={row.id}>
        <div className={classes.cardHead}>
          <Choice {...choice} />
          <Link to="/cases/$id" params={{ id: row.reference }}>
            {row.reference}
          </Link>
          <StatusBadge status={row.status} />
        </div>
        <div className={`cs-lines2 ${classes.cardName}`} title={nameOf(row)}>
          {nameOf(row)} <UncertainMark of={row} />
        </div>
        <UncertainFile of={row} fileName={row.document?.fileName} />
        {(row.amount || row.amountAtRisk) && (
          <div className={classes.cardAmount}>
            <CaseAmount amounts={row} />
          </div>
        )}
        <DifferingFields names={row.differingFields} />
        <div className={classes.due}>
          <NextStepCell row={row} />
        </div>
      </div>
    </div>
  );
});
