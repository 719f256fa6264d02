// The rows of the case list: a table, or cards in narrow windows.
import { Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { CaseListQuery } from '../../graphql/generated/graphql';
import { reviewOfStep } from '../../lib/deadline';
import { nextStepMessage } from '../../lib/next-step';
import { hasRole, reviewerRoles, usePerson } from '../../lib/session';
import { CaseAmount, DifferingFields } from '../../ui/CaseAmount';
import { rowName, UncertainCounterparty } from '../../ui/Counterparty';
import { DocumentTypeName } from '../../ui/DocumentTypeName';
import { StatusBadge } from '../../ui/StatusBadge';
import { ReviewDeadline, Timestamp } from '../../ui/values';
import classes from './case.module.css';
import type { Column } from './case-search';

export type Row = CaseListQuery['cases']['nodes'][number];

/** The next step of the case and its due time. */
function NextStepCell({ row }: { row: Row }) {
  const { t } = useTranslation();
  const staff = hasRole(usePerson(), ...reviewerRoles, 'auditor');
  const review = row.next.late ? null : reviewOfStep(row.next);
  return (
    <>
      {nextStepMessage(t, row.next, !staff)}{' '}
      {review && (
        <Text span size="sm" c="dimmed">
          <ReviewDeadline review={review} />
        </Text>
      )}
      {row.next.by && !review && (
        <Text span size="sm" c={row.next.late ? 'var(--mantine-color-error)' : 'dimmed'}>
          {row.next.late ? t('caseLabels.next.late') : t('caseLabels.next.by')}{' '}
          <Timestamp iso={row.next.by} />
        </Text>
      )}
    </>
  );
}

interface RowsProps {
  rows: readonly Row[];
  shown: readonly Column[];
  chosen: ReadonlyMap<string, unknown>;
  /** Selects or deselects a row; `range` selects all rows from the last one to it. */
  onChoose: (id: string, range: boolean) => void;
}

function Choice({ row, chosen, onChoose }: { row: Row } & Pick<RowsProps, 'chosen' | 'onChoose'>) {
  const { t } = useTranslation();
  return (
    <input
      type="checkbox"
      className={classes.choice}
      aria-label={t('case.cases.choose', { reference: row.reference })}
      checked={chosen.has(row.id)}
      onChange={({ nativeEvent }) =>
        onChoose(row.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
      }
    />
  );
}

/** The rows of one page of the list; only the first has headings that are visible. */
export function CaseTable({ rows, head, shown, ...choice }: RowsProps & { head: boolean }) {
  const { t } = useTranslation();
  return (
    <div className={`cs-card ${classes.table}`} style={{ padding: 0, marginTop: head ? 0 : 12 }}>
      <table className="cs-table">
        <thead className={head ? undefined : 'cs-visually-hidden'}>
          <tr>
            <th scope="col" className={classes.choiceCell}>
              <span className="cs-visually-hidden">{t('case.cases.selection')}</span>
            </th>
            <th scope="col">{t('case.cases.reference')}</th>
            {shown.map((column) => (
              <th
                key={column}
                scope="col"
                data-number={column === 'amount' || column === 'risk' || undefined}
                style={column === 'party' ? { width: '26%' } : undefined}
              >
                {t(`case.cases.column.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} data-row={row.id} data-chosen={choice.chosen.has(row.id) || undefined}>
              <td className={classes.choiceCell}>
                <Choice row={row} {...choice} />
              </td>
              <td className="cs-numbers">
                <Link to="/cases/$id" params={{ id: row.reference }}>
                  {row.reference}
                </Link>
              </td>
              {shown.map((column) => (
                <td
                  key={column}
                  data-number={column === 'amount' || column === 'risk' || undefined}
                >
                  <Cell row={row} column={column} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ row, column }: { row: Row; column: Column }) {
  const { t } = useTranslation();
  switch (column) {
    case 'party':
      return (
        <>
          {row.counterpartyUncertain ? (
            <UncertainCounterparty name={row.counterparty} uncertain />
          ) : (
            <Text size="sm" className="cs-lines2" title={row.counterparty}>
              {row.counterparty || '–'}
            </Text>
          )}
          <Text size="xs" c="dimmed" className="cs-lines2" title={row.document?.fileName}>
            {row.document?.fileName}
          </Text>
          <DifferingFields names={row.differingFields} />
        </>
      );
    case 'type':
      return <DocumentTypeName type={row.documentType} />;
    case 'amount':
      return <CaseAmount amounts={row} stacked />;
    case 'risk':
      return row.risk ?? '–';
    case 'status':
      return <StatusBadge status={row.status} />;
    case 'next':
      return <NextStepCell row={row} />;
    case 'submitter':
      return row.submitter?.name ?? '–';
    case 'source':
      return t(`case.cases.sources.${row.channel.toLowerCase() as 'web'}`);
    case 'submitted':
      return <Timestamp iso={row.createdAt} as="moment" />;
    case 'updated':
      return <Timestamp iso={row.updatedAt} />;
  }
}

/** The rows as cards, for narrow windows. */
export function CaseCards({ rows, ...choice }: Omit<RowsProps, 'shown'>) {
  return (
    <ul className={`${classes.cards} ${classes.plain}`}>
      {rows.map((row) => (
        <CaseCard key={row.id} row={row} {...choice} />
      ))}
    </ul>
  );
}

const nameOf = (row: Row) =>
  rowName({
    name: row.counterparty,
    uncertain: row.counterpartyUncertain,
    fileName: row.document?.fileName,
  });

function CaseCard({ row, ...choice }: { row: Row } & Pick<RowsProps, 'chosen' | 'onChoose'>) {
  return (
    <li className="cs-card" data-row={row.id}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Group gap="xs" wrap="nowrap">
          <Choice row={row} {...choice} />
          <Link to="/cases/$id" params={{ id: row.reference }}>
            {row.reference}
          </Link>
        </Group>
        <StatusBadge status={row.status} />
      </Group>
      <Text fw={560} className="cs-lines2" title={nameOf(row)}>
        {nameOf(row)}
      </Text>
      <UncertainCounterparty name={row.counterparty} uncertain={row.counterpartyUncertain} />
      {(row.amount || row.amountAtRisk) && (
        <Text size="sm">
          <CaseAmount amounts={row} />
        </Text>
      )}
      <DifferingFields names={row.differingFields} />
      <Text size="sm" c="dimmed">
        <NextStepCell row={row} />
      </Text>
    </li>
  );
}
