// The list of the cases that the user may read, with filters, order and columns.
import { Button, Group } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery } from 'urql';
import type { CaseFilter, CaseSort } from '../../graphql/generated/graphql';
import { followCase } from '../../graphql/live';
import { documentStates } from '../../lib/document-states';
import { type Selection, useSelection } from '../../lib/selection';
import { usePerson, useSignedIn } from '../../lib/session';
import { BulkActions, type SelectedCase } from '../../ui/BulkActions';
import { ExportMenu } from '../../ui/buttons';
import { KeyHelp } from '../../ui/KeyHelp';
import { SavedViewsBar } from '../../ui/SavedViewsBar';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { CaseFilters, useStaff } from './CaseFilters';
import { CaseCards, CaseTable, type Row } from './CaseRows';
import { CaseSelection } from './CaseSelection';
import { CaseList as CaseListDocument } from './case.graphql';
import { type Column, columnsOf, exportFilters, filterOf, sortEnum, sortOf } from './case-search';
import { useCaseKeys } from './use-case-keys';

const pageSize = 25;
/**
 * The pages of rows that subscribe to updates: the last ones, at which the person is. One connection
 * carries at most 100 subscriptions.
 */
const livePages = 3;

export function CasesPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/signed-in/cases' });
  const navigate = useNavigate();
  const staff = useStaff();
  const filter = filterOf(search, staff, documentStates);
  const sort = sortEnum(sortOf(search, staff));
  const key = JSON.stringify([filter, sort]);
  const listed = useListed(key);
  const chosen = [...listed.selection.chosen.values()];
  const shownIds = new Set(listed.cases.map(({ id }) => id));
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
      <CaseList
        key={key}
        filter={filter}
        sort={sort}
        shown={columnsOf(search, staff)}
        listed={listed}
      />
      {/* Outside of the list, because results and their undo outlive a change of the filter. */}
      <BulkActions
        cases={chosen}
        reviews={null}
        notShown={chosen.filter(({ id }) => !shownIds.has(id)).length}
        onBehalf={false}
        exported
        onDone={listed.selection.remove}
        onClear={listed.selection.clear}
      />
    </>
  );
}

/** The rows that were read so far, and the selection among them, of one filter and order. */
function useListed(key: string) {
  const [pages, setPages] = useState<readonly (readonly Row[])[]>([]);
  const [of, setOf] = useState(key);
  const cases = pages.flat().map(selectedCase);
  const selection = useSelection(cases);
  if (of !== key) {
    setOf(key);
    setPages([]);
    selection.clear();
  }
  const onRows = useCallback(
    (index: number, rows: readonly Row[]) =>
      setPages((before) => Object.assign([...before], { [index]: rows })),
    [],
  );
  return { cases, selection, onRows };
}

interface CaseListProps {
  filter: CaseFilter | null;
  sort: CaseSort;
  shown: readonly Column[];
}

const selectedCase = ({ id, reference, version, final }: Row): SelectedCase => ({
  id,
  reference,
  version,
  final,
});

/** The pages of the list that were read so far. Another filter or order starts at the first page. */
function CaseList({
  listed: { cases, selection, onRows },
  filter,
  sort,
  shown,
}: CaseListProps & { listed: ReturnType<typeof useListed> }) {
  const [cursors, setCursors] = useState<(string | null)[]>([null]);
  const list = useRef<HTMLDivElement>(null);
  const { keys, onKeyDown } = useCaseKeys(list, selection);
  return (
    <>
      {cases.length > 0 && (
        <CaseSelection filter={filter} sort={sort} cases={cases} selection={selection} />
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Shift with an arrow extends the selection */}
      <div ref={list} onKeyDown={onKeyDown}>
        {cursors.map((after, index) => (
          <CasesSlice
            key={after ?? ''}
            index={index}
            after={after}
            filter={filter}
            sort={sort}
            shown={shown}
            selection={selection}
            live={index >= cursors.length - livePages}
            last={index === cursors.length - 1}
            onRows={onRows}
            onMore={(cursor) => setCursors((previous) => [...previous, cursor])}
          />
        ))}
      </div>
      <KeyHelp keys={keys} />
    </>
  );
}

interface CasesSliceProps extends CaseListProps {
  index: number;
  after: string | null;
  selection: Selection<SelectedCase>;
  live: boolean;
  last: boolean;
  onRows: (index: number, rows: readonly Row[]) => void;
  onMore: (cursor: string) => void;
}

function CasesSlice(props: CasesSliceProps) {
  const { index, after, filter, sort, shown, selection, live, last, onRows, onMore } = props;
  const { t } = useTranslation();
  const [{ data, error, fetching }, refetch] = useQuery({
    query: CaseListDocument,
    variables: { first: pageSize, after, filter, sort },
    requestPolicy: 'cache-and-network',
  });
  const nodes = data?.cases.nodes;
  const rows = nodes ?? [];
  useLiveRows(live ? rows : []);
  useEffect(() => onRows(index, nodes ?? []), [onRows, index, nodes]);
  if (error && !data)
    return <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />;
  if (!data && fetching) return <LoadingState lines={10} />;
  if (rows.length === 0 && after === null) return <EmptyList filtered={filter !== null} />;
  const { hasNextPage, endCursor } = data?.cases.pageInfo ?? {};
  const choice = { rows, chosen: selection.chosen, onChoose: selection.toggle };
  return (
    <>
      <CaseTable {...choice} head={after === null} shown={shown} />
      <CaseCards {...choice} />
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
  const open = rows.filter((row) => !row.final);
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
