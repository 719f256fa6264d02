// Every case the person may read, newest first, to be searched.
import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery } from 'urql';
import { CaseFilter } from '../../graphql/generated/bounds';
import type { CaseListQuery, CaseStatus } from '../../graphql/generated/graphql';
import { followCase } from '../../graphql/live';
import { documentStates } from '../../lib/document-life';
import { nextStepMessage } from '../../lib/next';
import { hasRole, reviewerRoles, usePerson, useSignedIn } from '../../lib/session';
import { statusLabel } from '../../lib/words';
import { Icon } from '../../ui/Icon';
import { StatusBadge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { MoneyText, Timestamp } from '../../ui/values';
import { CaseList } from './case.graphql';
import classes from './case.module.css';

type Row = CaseListQuery['cases']['nodes'][number];

const slice = 25;
/** Cases of the first slice that are followed while they are on the page; a socket carries a hundred subscriptions. */
const followed = 25;
const patience = 250;

export function CasesPage() {
  const { t } = useTranslation();
  const { text, status } = useSearch({ from: '/signed-in/cases' });
  const [afters, setAfters] = useState<(string | null)[]>([null]);
  const filtered = text !== undefined || status !== undefined;
  const filter = filtered
    ? {
        ...(text !== undefined && { text }),
        ...(status !== undefined && { statuses: [status.toUpperCase() as CaseStatus] }),
      }
    : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter begins at the first slice again
  useEffect(() => setAfters([null]), [text, status]);
  return (
    <>
      <PageHeader title={t('case.list')} />
      <Filter />
      {afters.map((after, index) => (
        <Slice
          key={after ?? ''}
          after={after}
          filter={filter}
          last={index === afters.length - 1}
          onMore={(cursor) => setAfters((was) => [...was, cursor])}
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
  const [typed, setTyped] = useState(search.text ?? '');
  const [known, setKnown] = useState(search.text);
  if (known !== search.text) {
    setKnown(search.text);
    setTyped(search.text ?? '');
  }
  const go = (next: { text?: string; status?: string }) =>
    void navigate({ to: '/cases', search: next, replace: true });
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === (search.text ?? '')) return;
    const timer = setTimeout(() => {
      setKnown(wanted === '' ? undefined : wanted);
      void navigate({
        to: '/cases',
        search: { ...search, text: wanted === '' ? undefined : wanted } as typeof search,
        replace: true,
      });
    }, patience);
    return () => clearTimeout(timer);
  }, [typed, search, navigate]);
  return (
    <Group mb="md" align="flex-end" gap="sm" role="search">
      <TextInput
        label={t('case.cases.search')}
        type="search"
        leftSection={<Icon name="search" size={16} />}
        value={typed}
        maxLength={CaseFilter.text}
        onChange={(event) => setTyped(event.currentTarget.value)}
        style={{ flex: '1 1 18rem' }}
      />
      <NativeSelect
        label={t('case.cases.status')}
        value={search.status ?? ''}
        onChange={(event) => {
          const { value } = event.currentTarget;
          const { status: _old, ...rest } = search;
          go(value === '' ? rest : { ...rest, status: value });
        }}
        data={[
          { value: '', label: t('case.cases.any') },
          ...documentStates.map((state) => ({ value: state, label: statusLabel(t, state, staff) })),
        ]}
      />
    </Group>
  );
}

interface SliceProps {
  after: string | null;
  filter: { text?: string; statuses?: CaseStatus[] } | null;
  last: boolean;
  onMore: (cursor: string) => void;
}

function Slice({ after, filter, last, onMore }: SliceProps) {
  const { t } = useTranslation();
  const [{ data, error, fetching }, again] = useQuery({
    query: CaseList,
    variables: { first: slice, after, filter },
    requestPolicy: 'cache-and-network',
  });
  const rows = data?.cases.nodes ?? [];
  useLiveRows(rows);
  if (error && !data)
    return <ErrorState error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />;
  if (!data && fetching) return <LoadingState lines={10} />;
  if (rows.length === 0 && after === null) return <Nothing filtered={filter !== null} />;
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

function Nothing({ filtered }: { filtered: boolean }) {
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

/** Keeps the rows that can still change up to date: the events bring the case with them. */
function useLiveRows(rows: readonly Row[]): void {
  const client = useClient();
  const signedIn = useSignedIn();
  const open = rows.filter((row) => !row.final).slice(0, followed);
  const ids = open.map(({ id }) => id).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row's cursor moves on with each event; following goes on from the first
  useEffect(() => {
    if (!signedIn) return;
    const nothing = () => undefined;
    const ends = open.map((row) =>
      followCase(client, row.id, row.cursor, { onEvent: nothing, onReread: nothing }),
    );
    return () => {
      for (const end of ends) end();
    };
  }, [client, signedIn, ids]);
}

/** What happens next, and by when. */
function Next({ row }: { row: Row }) {
  const { t } = useTranslation();
  const staff = hasRole(usePerson(), ...reviewerRoles, 'auditor');
  return (
    <>
      {nextStepMessage(t, row.next, !staff)}{' '}
      {row.next.by && (
        <Text span size="sm" c={row.next.late ? 'var(--mantine-color-error)' : 'dimmed'}>
          {row.next.late ? t('life.next.late') : t('life.next.by')} <Timestamp iso={row.next.by} />
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
                <Link to="/cases/$id" params={{ id: row.id }}>
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
              </td>
              <td data-number>
                <MoneyText money={row.amount} />
              </td>
              <td>
                <StatusBadge status={row.status} />
              </td>
              <td>
                <Next row={row} />
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
        <Link to="/cases/$id" params={{ id: row.id }} className="cs-numbers">
          {row.reference}
        </Link>
        <StatusBadge status={row.status} />
      </Group>
      <Text fw={560} className="cs-lines2" title={row.counterparty}>
        {row.counterparty || row.document?.fileName}
      </Text>
      {row.amount && (
        <Text size="sm">
          <MoneyText money={row.amount} />
        </Text>
      )}
      <Text size="sm" c="dimmed">
        <Next row={row} />
      </Text>
    </li>
  );
}
