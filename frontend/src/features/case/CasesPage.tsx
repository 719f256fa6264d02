// The list of the cases that the user may read, newest first, with search.
import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery } from 'urql';
import { CaseFilter } from '../../graphql/generated/bounds';
import type { CaseListQuery, CaseStatus } from '../../graphql/generated/graphql';
import { followCase } from '../../graphql/live';
import { documentStates } from '../../lib/document-states';
import { statusLabel } from '../../lib/labels';
import { nextStepMessage } from '../../lib/next-step';
import { hasRole, reviewerRoles, usePerson, useSignedIn } from '../../lib/session';
import { ExportMenu } from '../../ui/buttons';
import { CaseAmount, DifferingFields } from '../../ui/CaseAmount';
import { Icon } from '../../ui/Icon';
import { StatusBadge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import { CaseList } from './case.graphql';
import classes from './case.module.css';

type Row = CaseListQuery['cases']['nodes'][number];

const pageSize = 25;
/**
 * The number of rows that subscribe to updates; one connection carries at most 100 subscriptions.
 */
const maxLiveRows = 25;
const searchDelay = 250;

export function CasesPage() {
  const { t } = useTranslation();
  const { text, status } = useSearch({ from: '/signed-in/cases' });
  const [cursors, setCursors] = useState<(string | null)[]>([null]);
  const filtered = text !== undefined || status !== undefined;
  const filter = filtered
    ? {
        ...(text !== undefined && { text }),
        ...(status !== undefined && { statuses: [status.toUpperCase() as CaseStatus] }),
      }
    : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter starts at the first page
  useEffect(() => setCursors([null]), [text, status]);
  return (
    <>
      <PageHeader
        title={t('titles.cases')}
        actions={<ExportMenu kind="cases" filters={{ status, text }} />}
      />
      <Filter />
      {cursors.map((after, index) => (
        <CasesSlice
          key={after ?? ''}
          after={after}
          filter={filter}
          last={index === cursors.length - 1}
          onMore={(cursor) => setCursors((previous) => [...previous, cursor])}
        />
      ))}
    </>
  );
}

function Filter() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const search = useSearch({ from: '/signed-in/cases' });
  const staff = hasRole(usePerson(), ...reviewerRoles, 'auditor');
  const [input, setInput] = useState(search.text ?? '');
  const [urlText, setUrlText] = useState(search.text);
  if (urlText !== search.text) {
    setUrlText(search.text);
    setInput(search.text ?? '');
  }
  const navigateTo = (next: { text?: string; status?: string }) =>
    void navigate({ to: '/cases', search: next, replace: true });
  useEffect(() => {
    const trimmed = input.trim();
    if (trimmed === (search.text ?? '')) return;
    const timer = setTimeout(() => {
      setUrlText(trimmed === '' ? undefined : trimmed);
      void navigate({
        to: '/cases',
        search: { ...search, text: trimmed === '' ? undefined : trimmed } as typeof search,
        replace: true,
      });
    }, searchDelay);
    return () => clearTimeout(timer);
  }, [input, search, navigate]);
  return (
    <Group mb="md" align="flex-end" gap="sm" role="search">
      <TextInput
        label={t('case.cases.search')}
        type="search"
        leftSection={<Icon name="search" size={16} />}
        value={input}
        maxLength={CaseFilter.text}
        onChange={(event) => setInput(event.currentTarget.value)}
        style={{ flex: '1 1 18rem' }}
      />
      <NativeSelect
        label={t('case.cases.status')}
        value={search.status ?? ''}
        onChange={(event) => {
          const { value } = event.currentTarget;
          const { status: _old, ...rest } = search;
          navigateTo(value === '' ? rest : { ...rest, status: value });
        }}
        data={[
          { value: '', label: t('case.cases.any') },
          ...documentStates.map((state) => ({ value: state, label: statusLabel(t, state, staff) })),
        ]}
      />
    </Group>
  );
}

interface CasesSliceProps {
  after: string | null;
  filter: { text?: string; statuses?: CaseStatus[] } | null;
  last: boolean;
  onMore: (cursor: string) => void;
}

function CasesSlice({ after, filter, last, onMore }: CasesSliceProps) {
  const { t } = useTranslation();
  const [{ data, error, fetching }, refetch] = useQuery({
    query: CaseList,
    variables: { first: pageSize, after, filter },
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
      <Table rows={rows} head={after === null} />
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

function Table({ rows, head }: { rows: readonly Row[]; head: boolean }) {
  const { t } = useTranslation();
  return (
    <div className={`cs-card ${classes.table}`} style={{ padding: 0, marginTop: head ? 0 : 12 }}>
      <table className="cs-table">
        <thead className={head ? undefined : 'cs-visually-hidden'}>
          <tr>
            <th scope="col">{t('case.cases.reference')}</th>
            <th scope="col" style={{ width: '26%' }}>
              {t('case.cases.party')}
            </th>
            <th scope="col" data-number>
              {t('case.cases.amount')}
            </th>
            <th scope="col">{t('case.cases.status')}</th>
            <th scope="col">{t('case.cases.next')}</th>
            <th scope="col">{t('case.cases.updated')}</th>
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
              <td>
                <Text size="sm" className="cs-lines2" title={row.counterparty}>
                  {row.counterparty || '–'}
                </Text>
                <Text size="xs" c="dimmed" className="cs-lines2" title={row.document?.fileName}>
                  {row.document?.fileName}
                </Text>
                <DifferingFields names={row.differingFields} />
              </td>
              <td data-number>
                <CaseAmount amounts={row} stacked />
              </td>
              <td>
                <StatusBadge status={row.status} />
              </td>
              <td>
                <NextStepCell row={row} />
              </td>
              <td>
                <Timestamp iso={row.updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
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
