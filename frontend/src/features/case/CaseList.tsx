// The rows of the case list. The first page is read with the list, the next ones when the user asks for
// more or scrolls to the end, and only the rows in the window are drawn.
import { Button, Group } from '@mantine/core';
import {
  useDebouncedCallback,
  useDebouncedValue,
  useIntersection,
  useMediaQuery,
} from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery } from 'urql';
import type { CaseFilter, CaseSort } from '../../graphql/generated/graphql';
import { followCase } from '../../graphql/live';
import { usePerson, useSignedIn } from '../../lib/session';
import { KeyHelp } from '../../ui/KeyHelp';
import { EmptyState, ErrorState, LoadingState } from '../../ui/states';
import { CaseCards, CaseTable } from './CaseRows';
import { CaseSelection } from './CaseSelection';
import { CaseList as CaseListDocument } from './case.graphql';
import type { Column } from './case-search';
import { useCaseKeys } from './use-case-keys';
import { type CasePages, pagesWith, type Row } from './use-case-pages';

/** The rows of the first page, which is shown soon, and of the next ones, which cost less than half of the server's limit. */
const firstPage = 25;
const nextPages = 75;
/** How near to the window the end of the list is when the next page is read. */
const readAhead = '3000px';
/**
 * How long rows are in the window before their pages are read from the cache again, and before their cases
 * subscribe, in milliseconds. Each subscription counts as a request, of which scrolling through a long list
 * would use up those of a minute.
 */
const rereadDelay = 150;
const followDelay = 800;

interface CaseListProps {
  filter: CaseFilter | null;
  sort: CaseSort;
  shown: readonly Column[];
  listed: CasePages;
}

/** Another filter or order is another list, which starts at the first page. */
export function CaseList({ listed, filter, sort, shown }: CaseListProps) {
  const { pages, rows, selection, onRead } = listed;
  const [cursors, setCursors] = useState<readonly string[]>(['']);
  const list = useRef<HTMLDivElement>(null);
  const { keys, onKeyDown } = useCaseKeys(list, selection);
  const narrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [[first, last], setRange] = useState<readonly [number, number]>([0, 0]);
  const onShown = useDebouncedCallback(
    (from: number, to: number) => setRange([from, to]),
    rereadDelay,
  );
  const current = pagesWith(pages, first, last);
  const next = pages[cursors.length - 1]?.next ?? null;
  const onMore = () => setCursors((before) => (next === null ? before : [...before, next]));
  const choice = { rows, chosen: selection.chosen, onChoose: selection.toggle, onShown };
  return (
    <>
      {rows.length > 0 && (
        <CaseSelection filter={filter} sort={sort} cases={rows} selection={selection} />
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Shift with an arrow extends the selection */}
      <div ref={list} onKeyDown={onKeyDown}>
        {rows.length > 0 &&
          (narrow ? (
            <CaseCards {...choice} />
          ) : (
            <CaseTable {...choice} shown={shown} complete={next === null} />
          ))}
      </div>
      {pages[0]?.rows.length === 0 && <EmptyList filtered={filter !== null} />}
      {cursors.map(
        (after, index) =>
          (!pages[index] || current.includes(index)) && (
            <PageReader
              key={after}
              index={index}
              variables={{
                first: index === 0 ? firstPage : nextPages,
                after: after || null,
                filter,
                sort,
              }}
              known={pages[index] !== undefined}
              onRead={onRead}
            />
          ),
      )}
      <LiveCases rows={rows.slice(first, last + 1)} />
      {next !== null && <MoreButton byScrolling={cursors.length > 1} onMore={onMore} />}
      <KeyHelp keys={keys} />
    </>
  );
}

interface PageReaderProps {
  index: number;
  variables: { first: number; after: string | null; filter: CaseFilter | null; sort: CaseSort };
  /** The page was read before, so that its rows are in the cache. */
  known: boolean;
  onRead: CasePages['onRead'];
}

/** Reads a page, and again from the cache when it changes. Shows only that it is loading or has failed. */
function PageReader({ index, variables, known, onRead }: PageReaderProps) {
  const [wasKnown] = useState(known);
  const [{ data, error, fetching }, refetch] = useQuery({
    query: CaseListDocument,
    variables,
    requestPolicy: wasKnown ? 'cache-first' : 'cache-and-network',
  });
  useEffect(() => {
    if (!data) return;
    const { nodes, pageInfo } = data.cases;
    onRead(index, { rows: nodes, next: pageInfo.hasNextPage ? pageInfo.endCursor : null });
  }, [onRead, index, data]);
  if (data) return null;
  if (error)
    return <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />;
  return fetching ? <LoadingState lines={10} /> : null;
}

/** Asks for the next page when it is clicked, or, with `byScrolling`, when it is almost in the window. */
function MoreButton({ byScrolling, onMore }: { byScrolling: boolean; onMore: () => void }) {
  const { t } = useTranslation();
  const { ref, entry } = useIntersection({ rootMargin: readAhead });
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

/** Subscribes to the unfinished cases of the rows once they rest; their events update the cache. */
export function LiveCases({ rows }: { rows: readonly Row[] }) {
  const signedIn = useSignedIn();
  const [followed] = useDebouncedValue(rows, followDelay);
  return signedIn ? followed.map((row) => !row.final && <LiveCase key={row.id} row={row} />) : null;
}

const noop = () => undefined;

function LiveCase({ row: { id, cursor } }: { row: Row }) {
  const client = useClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the cursor changes with each event; the first one is enough
  useEffect(() => followCase(client, id, cursor, { onEvent: noop, onReread: noop }), [client, id]);
  return null;
}
