// The list of the cases that the user may read, with filters, order and columns.
import { Button, Group, Text } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery } from 'urql';
import type { CaseFilter, CaseListQuery, CaseSort } from '../../graphql/generated/graphql';
import { followCase } from '../../graphql/live';
import { documentStates } from '../../lib/document-states';
import { nextStepMessage } from '../../lib/next-step';
import { hasRole, reviewerRoles, usePerson, useSignedIn } from '../../lib/session';
import { ExportMenu } from '../../ui/buttons';
import { CaseAmount, DifferingFields } from '../../ui/CaseAmount';
import { DocumentTypeName } from '../../ui/DocumentTypeName';
import { SavedViewsBar } from '../../ui/SavedViewsBar';
import { StatusBadge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import { CaseFilters, useStaff } from './CaseFilters';
import { CaseList } from './case.graphql';
import classes from './case.module.css';
import { type Column, columnsOf, exportFilters, filterOf, sortEnum, sortOf } from './case-search';

type Row = CaseListQuery['cases']['nodes'][number];

const pageSize = 25;
/**
 * The number of rows that subscribe to updates; one connection carries at most 100 subscriptions.
 */
const maxLiveRows = 25;

export function CasesPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/signed-in/cases' });
  const navigate = useNavigate();
  const staff = useStaff();
  const filter = filterOf(search, staff, documentStates);
  const sort = sortEnum(sortOf(search, staff));
  const key = JSON.stringify([filter, sort]);
  return (
    <>
      <PageHeader
        title={t('titles.cases')}
        actions={<ExportMenu kind="cases" filters={exportFilters(search, staff, documentStates)} />}
      />
      <SavedViewsBar
        list="CASES"
        address={search}
        onOpen={(next) => void navigate({ to: '/cases', search: next })}
      />
      <CaseFilters />
      <CaseTable key={key} filter={filter} sort={sort} shown={columnsOf(search, staff)} />
    </>
  );
}

interface CaseTableProps {
  filter: CaseFilter | null;
  sort: CaseSort;
  shown: readonly Column[];
}

/** The pages of the list that were read so far. Another filter or order starts at the first page. */
function CaseTable({ filter, sort, shown }: CaseTableProps) {
  const [cursors, setCursors] = useState<(string | null)[]>([null]);
  return cursors.map((after, index) => (
    <CasesSlice
      key={after ?? ''}
      after={after}
      filter={filter}
      sort={sort}
      shown={shown}
      last={index === cursors.length - 1}
      onMore={(cursor) => setCursors((previous) => [...previous, cursor])}
    />
  ));
}

interface CasesSliceProps extends CaseTableProps {
  after: string | null;
  last: boolean;
  onMore: (cursor: string) => void;
}

function CasesSlice({ after, filter, sort, shown, last, onMore }: CasesSliceProps) {
  const { t } = useTranslation();
  const [{ data, error, fetching }, refetch] = useQuery({
    query: CaseList,
    variables: { first: pageSize, after, filter, sort },
    requestPolicy: 'cache-and-network',
  });
  const rows = data?.cases.nodes ?? [];
  useLiveRows(rows);
  if (error && !data)
    return <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />;
  if (!data && fetching) return <LoadingState lines={10} />;
  if (rows.length === 0 && after === null) return <EmptyList filtered={filter !== null} />;
  const { hasNextPage, endCursor } = data?.cases.pageInfo ?? {};
  return (
    <>
      <Table rows={rows} head={after === null} shown={shown} />
      <ul className={`${classes.cards} ${classes.plain}`}>
        {rows.map((row) => (
          <CaseCard key={row.id} row={row} />
        ))}
      </ul>
      {last && hasNextPage && endCursor && (
        <Group justify="center" mt="md">
          <Button variant="default" onClick={() => onMore(endCursor)}>
            {t('case.cases.more')}
          </Button>
        </Group>
      )}
    </>
  );
}

function EmptyList({ filtered }: { filtered: boolean }) {
  const { t } = useTranslation();
  const roles = usePerson()?.roles;
  return (
    <div className="cs-card">
      {filtered ? (
        <EmptyState
          icon="search"
          title={t('case.cases.nothing')}
          action={<Link to="/cases">{t('case.cases.reset')}</Link>}
        >
          {t('case.cases.nothingText')}
        </EmptyState>
      ) : roles?.length === 0 ? (
        <EmptyState icon="people" title={t('case.cases.noRole')}>
          {t('case.cases.noRoleText')}
        </EmptyState>
      ) : (
        <EmptyState title={t('case.cases.empty')}>{t('case.cases.emptyText')}</EmptyState>
      )}
    </div>
  );
}

/** Subscribes to the unfinished cases of the rows; their events update the cache. */
function useLiveRows(rows: readonly Row[]): void {
  const client = useClient();
  const signedIn = useSignedIn();
  const open = rows.filter((row) => !row.final).slice(0, maxLiveRows);
  const ids = open.map(({ id }) => id).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: cursors change with each event; the first one is enough
  useEffect(() => {
    if (!signedIn) return;
    const noop = () => undefined;
    const unsubscribers = open.map((row) =>
      followCase(client, row.id, row.cursor, { onEvent: noop, onReread: noop }),
    );
    return () => {
      for (const unsubscribe of unsubscribers) unsubscribe();
    };
  }, [client, signedIn, ids]);
}

/** The next step of the case and its due time. */
function NextStepCell({ row }: { row: Row }) {
  const { t } = useTranslation();
  const staff = hasRole(usePerson(), ...reviewerRoles, 'auditor');
  return (
    <>
      {nextStepMessage(t, row.next, !staff)}{' '}
      {row.next.by && (
        <Text span size="sm" c={row.next.late ? 'var(--mantine-color-error)' : 'dimmed'}>
          {row.next.late ? t('caseLabels.next.late') : t('caseLabels.next.by')}{' '}
          <Timestamp iso={row.next.by} />
        </Text>
      )}
    </>
  );
}

interface TableProps {
  rows: readonly Row[];
  head: boolean;
  shown: readonly Column[];
}

function Table({ rows, head, shown }: TableProps) {
  const { t } = useTranslation();
  return (
    <div className={`cs-card ${classes.table}`} style={{ padding: 0, marginTop: head ? 0 : 12 }}>
      <table className="cs-table">
        <thead className={head ? undefined : 'cs-visually-hidden'}>
          <tr>
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
            <tr key={row.id}>
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
          <Text size="sm" className="cs-lines2" title={row.counterparty}>
            {row.counterparty || '–'}
          </Text>
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

function CaseCard({ row }: { row: Row }) {
  return (
    <li className="cs-card">
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Link to="/cases/$id" params={{ id: row.reference }}>
          {row.reference}
        </Link>
        <StatusBadge status={row.status} />
      </Group>
      <Text fw={560} className="cs-lines2" title={row.counterparty}>
        {row.counterparty || row.document?.fileName}
      </Text>
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
