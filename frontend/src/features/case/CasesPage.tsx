// The list of the cases that the user may read, with filters, order and columns.
import { Button, Group } from '@mantine/core';
import { useDebouncedValue, useIntersection, useInViewport, useMediaQuery } from '@mantine/hooks';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { memo, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery } from 'urql';
import type { CaseFilter, CaseSort } from '../../graphql/generated/graphql';
import { followCase } from '../../graphql/live';
import { documentStates } from '../../lib/document-states';
import { type Selection, useSelection } from '../../lib/selection';
import { usePerson, useSignedIn } from '../../lib/session';
import { BulkActions, type SelectedCase } from '../../ui/BulkActions';
import { ExportMenu } from '../../ui/ExportMenu';
import { KeyHelp } from '../../ui/KeyHelp';
import { SavedViewsBar } from '../../ui/SavedViewsBar';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { VirtualPages } from '../../ui/VirtualList';
import { CaseFilters, useStaff } from './CaseFilters';
import { CaseCards, CaseTable, type Row } from './CaseRows';
import { CaseSelection } from './CaseSelection';
import { CaseList as CaseListDocument } from './case.graphql';
import { type Column, columnsOf, exportFilters, filterOf, sortEnum, sortOf } from './case-search';
import { useCaseKeys } from './use-case-keys';

/** Rows of a page of the list. One connection carries at most 100 subscriptions, those of the pages in the window. */
const pageSize = 25;
/**
 * How long a page is in the window before its cases subscribe, in milliseconds. Each subscription counts as a
 * request, of which scrolling through a long list would use up those of a minute.
 */
const restDelay = 800;
/** The height of a page of rows before it is measured, in pixels. */
const estimatedPage = pageSize * 61;

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

/** A page of the list as it was read. */
interface ReadPage {
  rows: readonly Row[];
  /** The cursor of the next page; null if there is none. */
  next: string | null;
}

/** The pages that were read so far, and the selection among their rows, of one filter and order. */
function useListed(key: string) {
  const [pages, setPages] = useState<readonly ReadPage[]>([]);
  const [of, setOf] = useState(key);
  const cases = useMemo(() => pages.flatMap(({ rows }) => rows.map(selectedCase)), [pages]);
  const selection = useSelection(cases);
  if (of !== key) {
    setOf(key);
    setPages([]);
    selection.clear();
  }
  const onRead = useCallback(
    (index: number, page: ReadPage) =>
      setPages((before) => Object.assign([...before], { [index]: page })),
    [],
  );
  return { pages, cases, selection, onRead };
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

/**
 * The pages of the list that were read so far. After the first that the user asked for, the next ones are
 * read when their end is scrolled into the window. Another filter or order starts at the first page.
 */
function CaseList({
  listed: { pages, cases, selection, onRead },
  filter,
  sort,
  shown,
}: CaseListProps & { listed: ReturnType<typeof useListed> }) {
  const [cursors, setCursors] = useState<readonly string[]>(['']);
  const list = useRef<HTMLDivElement>(null);
  const { keys, onKeyDown } = useCaseKeys(list, selection);
  const next = pages[cursors.length - 1]?.next ?? null;
  const onMore = () => setCursors((before) => (next === null ? before : [...before, next]));
  return (
    <>
      {cases.length > 0 && (
        <CaseSelection filter={filter} sort={sort} cases={cases} selection={selection} />
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Shift with an arrow extends the selection */}
      <div ref={list} onKeyDown={onKeyDown}>
        <VirtualPages items={cursors} keyOf={(after) => after} estimate={estimatedPage}>
          {(after, index, height) => (
            <CasesPageRows
              index={index}
              height={pages[index] === undefined ? 0 : height}
              after={after || null}
              filter={filter}
              sort={sort}
              shown={shown}
              selection={selection}
              onRead={onRead}
            />
          )}
        </VirtualPages>
      </div>
      {next !== null && <MoreButton byScrolling={cursors.length > 1} onMore={onMore} />}
      <KeyHelp keys={keys} />
    </>
  );
}

/** Asks for the next page when it is clicked, or, with `byScrolling`, when it is almost in the window. */
function MoreButton({ byScrolling, onMore }: { byScrolling: boolean; onMore: () => void }) {
  const { t } = useTranslation();
  const { ref, entry } = useIntersection({ rootMargin: '1500px' });
  const reached = byScrolling && entry?.isIntersecting === true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once each time that it is reached
  useEffect(() => {
    if (reached) onMore();
  }, [reached]);
  return (
    <Group justify="center" mt="md" ref={ref}>
      <Button variant="default" onClick={onMore}>
        {t('case.cases.more')}
      </Button>
    </Group>
  );
}

interface CasesPageRowsProps extends CaseListProps {
  index: number;
  after: string | null;
  /** The height of the page if its rows are in the cache because it was read before; otherwise 0. */
  height: number;
  selection: Selection<SelectedCase>;
  onRead: (index: number, page: ReadPage) => void;
}

const CasesPageRows = memo(function CasesPageRows(props: CasesPageRowsProps) {
  const { index, after, height, filter, sort, shown, selection, onRead } = props;
  const [heightBefore] = useState(height);
  const [{ data, error, fetching }, refetch] = useQuery({
    query: CaseListDocument,
    variables: { first: pageSize, after, filter, sort },
    requestPolicy: heightBefore > 0 ? 'cache-first' : 'cache-and-network',
  });
  const rows = data?.cases.nodes ?? [];
  const { ref, inViewport } = useInViewport();
  const [rests] = useDebouncedValue(inViewport, restDelay);
  useLiveRows(inViewport && rests ? rows : []);
  const narrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  // While the user scrolls, React may draw the rows over several frames.
  const drawn = useDeferredValue(true, heightBefore === 0);
  useEffect(() => {
    if (!data) return;
    const { nodes, pageInfo } = data.cases;
    onRead(index, { rows: nodes, next: pageInfo.hasNextPage ? pageInfo.endCursor : null });
  }, [onRead, index, data]);
  if (error && !data)
    return <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />;
  if (!data && fetching) return <LoadingState lines={10} />;
  if (rows.length === 0 && after === null) return <EmptyList filtered={filter !== null} />;
  if (!drawn) return <div style={{ height: heightBefore }} />;
  const choice = { rows, chosen: selection.chosen, onChoose: selection.toggle };
  return (
    <div ref={ref}>
      {narrow ? (
        <CaseCards {...choice} />
      ) : (
        <CaseTable {...choice} head={after === null} shown={shown} />
      )}
    </div>
  );
});

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
