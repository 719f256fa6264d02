// The reviews that the user may decide, soonest due first, live.
import { Button, Group } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CombinedError, useQuery } from 'urql';
import type { Refusal } from '../../lib/refusals';
import { countedUpTo } from '../../lib/review-count';
import { type Selection, useSelection } from '../../lib/selection';
import { useStore } from '../../lib/store';
import { BulkActions } from '../../ui/BulkActions';
import { ExportMenu } from '../../ui/ExportMenu';
import { Icon } from '../../ui/Icon';
import { KeyHelp } from '../../ui/KeyHelp';
import { SavedViewsBar } from '../../ui/SavedViewsBar';
import { shortcutProps } from '../../ui/shortcut';
import { EmptyState, ErrorState, LoadingState, PageHeader, RefusalAlert } from '../../ui/states';
import { VirtualList } from '../../ui/VirtualList';
import { actingForStore, QueueFilters } from './QueueFilters';
import { Columns, QueueRowLine } from './QueueRowLine';
import { QueueViewer } from './queue.graphql';
import classes from './queue.module.css';
import { type Row, type ShownRow, selectedCases } from './rows';
import { SelectAll } from './SelectAll';
import { SkippedNote } from './Skipped';
import {
  everything,
  exportFilters,
  filterOf,
  type QueueFilter,
  sortOf,
  useFilter,
} from './use-filter';
import { type Claim, useClaims, useQueue } from './use-queue';

/** The result of a refused or failed command, of one row or of the page. */
interface CommandResult {
  reviewId: string | null;
  refusals: readonly Refusal[];
  error: CombinedError | null;
}

const idOf = ({ row }: ShownRow) => row.id;

export function QueuePage() {
  const { t } = useTranslation();
  const { filter, change: setFilter, search, set } = useFilter();
  const queue = useQueue(filterOf(filter), sortOf(filter));
  const [{ data: viewerData }] = useQuery({ query: QueueViewer });
  const me = viewerData?.viewer?.person.id ?? null;
  const delegators = (viewerData?.viewer?.delegations ?? []).flatMap(({ active, delegator }) =>
    active && delegator && delegator.id !== me ? [delegator] : [],
  );
  const storedDelegator = useStore(actingForStore);
  const actingFor = delegators.some(({ id }) => id === storedDelegator) ? storedDelegator : null;
  const { busy, result, dismiss, claim, claimNext } = useClaiming(actingFor);
  const listed = queue.rows.flatMap(({ row, left }) => (left === null ? [row] : []));
  const selection = useSelection(listed);
  const chosen = listed.flatMap(({ id }) => selection.chosen.get(id) ?? []);
  const list = useRef<HTMLDivElement>(null);
  const { keys, onKeyDown } = useKeys(list, queue.rows, selection, claim, claimNext);
  return (
    <>
      <PageHeader
        title={t('titles.queue')}
        actions={
          <>
            <ExportMenu kind="reviews" filters={exportFilters(filter)} />
            <Button
              leftSection={<Icon name="right" />}
              {...shortcutProps('n')}
              loading={busy === 'next'}
              onClick={claimNext}
            >
              {t('queue.next')}
            </Button>
          </>
        }
      >
        {queue.ready && queue.total > 0
          ? t(countText(queue, filter), { count: queue.total, decidable: queue.decidable })
          : null}
      </PageHeader>
      <SavedViewsBar list="QUEUE" address={search} onOpen={set} />
      <QueueFilters
        filter={filter}
        onFilter={setFilter}
        delegators={delegators}
        actingFor={actingFor}
      />
      <SkippedNote />
      {result && result.reviewId === null && (
        <div className={classes.result}>
          <RefusalAlert refusals={result.refusals} error={result.error} />
        </div>
      )}
      <DepartureAnnouncement rows={queue.rows} />
      {queue.error && <ErrorState error={queue.error} onRetry={queue.retry} />}
      {!queue.ready && !queue.error && <LoadingState lines={8} />}
      {queue.ready && queue.rows.length === 0 && (
        <EmptyQueue filter={filter} onShowAll={() => setFilter(everything)} />
      )}
      {queue.rows.length > 0 && (
        // biome-ignore lint/a11y/noStaticElementInteractions: Shift with an arrow extends the selection
        <div ref={list} className={classes.list} onKeyDown={onKeyDown}>
          <SelectAll queue={queue} rows={listed} selection={selection} />
          <Columns />
          <VirtualList items={queue.rows} keyOf={idOf} estimate={62} label={t('queue.list')}>
            {(shown) => (
              <QueueRowLine
                shown={shown}
                me={me}
                busy={busy === shown.row.id}
                result={result?.reviewId === shown.row.id ? result : null}
                onClaim={claim}
                onDismiss={dismiss}
                chosen={selection.chosen.has(shown.row.id)}
                onChoose={selection.toggle}
              />
            )}
          </VirtualList>
        </div>
      )}
      {queue.more.has && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={queue.more.loading} onClick={queue.more.loadMore}>
            {t('ui.more')}
          </Button>
        </Group>
      )}
      <BulkActions
        cases={selectedCases(chosen)}
        selected={new Set(selectedCases([...selection.chosen.values()]).map(({ id }) => id))}
        reviews={new Set(chosen.map(({ id }) => id))}
        notShown={null}
        onBehalf={actingFor !== null}
        exported={false}
        onDone={(ids) =>
          selection.remove(
            [...selection.chosen.values()].flatMap((row) =>
              row.case && ids.includes(row.case.id) ? [row.id] : [],
            ),
          )
        }
        onClear={selection.clear}
      />
      <KeyHelp keys={keys} />
    </>
  );
}

/** How the number of reviews is said: with how many one person can decide, or with the usual order. */
function countText({ total, decidable }: ReturnType<typeof useQueue>, filter: QueueFilter) {
  if (total >= countedUpTo) return 'queue.countAtLeast';
  if (decidable < total) return 'queue.countDecidable';
  return sortOf(filter) === 'DEADLINE' ? 'queue.countByDeadline' : 'queue.count';
}

/** Claims a review and opens it; a refusal is shown where the command was given. */
function useClaiming(onBehalfOf: string | null) {
  const claims = useClaims(onBehalfOf);
  const navigate = useNavigate();
  const [busy, setBusy] = useState<string | null>(null);
  const [result, setResult] = useState<CommandResult | null>(null);
  const run = async (key: string, reviewId: string | null, command: () => Promise<Claim>) => {
    if (busy !== null) return;
    setBusy(key);
    setResult(null);
    const claim = await command();
    setBusy(null);
    if ('reviewId' in claim) void navigate({ to: '/reviews/$id', params: { id: claim.reviewId } });
    else
      setResult({
        reviewId,
        refusals: 'refusals' in claim ? claim.refusals : [],
        error: 'error' in claim ? claim.error : null,
      });
  };
  return {
    busy,
    result,
    dismiss: () => setResult(null),
    claim: (row: Row) => void run(row.id, row.id, () => claims.claim(row)),
    claimNext: () => void run('next', null, claims.claimNext),
  };
}

function useKeys(
  list: React.RefObject<HTMLDivElement | null>,
  rows: ShownRow[],
  selection: Selection<Row>,
  claim: (row: Row) => void,
  claimNext: () => void,
) {
  const { t } = useTranslation();
  const links = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-review]') ?? [])];
  const current = () =>
    document.activeElement?.closest('li')?.querySelector<HTMLElement>('[data-review]') ?? null;
  const step = (by: 1 | -1) => {
    const all = links();
    const now = current();
    const at = now ? all.indexOf(now) + by : 0;
    const next = all[Math.max(0, Math.min(all.length - 1, at))];
    next?.focus();
    next?.closest('li')?.scrollIntoView({ block: 'nearest' });
  };
  const claimCurrent = () => {
    const id = current()?.dataset.review;
    const shown = rows.find(({ row }) => row.id === id);
    if (shown && shown.row.status === 'OPEN') claim(shown.row);
  };
  const openCurrent = () => {
    const active = document.activeElement;
    if (active instanceof HTMLElement && active.matches('a, button')) active.click();
    else links()[0]?.click();
  };
  const chooseCurrent = () => {
    const id = current()?.dataset.review;
    if (id) selection.toggle(id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const from = current()?.dataset.review;
    if (!event.shiftKey || by === 0 || !from) return;
    event.preventDefault();
    step(by);
    selection.extend(from, current()?.dataset.review ?? from);
  };
  const keys = [
    { keys: 'j', label: t('queue.keys.down'), run: () => step(1), onFocus: true },
    { keys: 'k', label: t('queue.keys.up'), run: () => step(-1), onFocus: true },
    { keys: 'Enter', label: t('queue.keys.enter'), run: openCurrent, onFocus: true },
    { keys: 'c', label: t('queue.keys.claim'), run: claimCurrent, onFocus: true },
    { keys: 'x', label: t('queue.keys.choose'), run: chooseCurrent, onFocus: true },
    { keys: '↓', label: t('queue.keys.extend'), run: () => undefined, onFocus: true },
    { keys: 'n', label: t('queue.keys.next'), run: claimNext },
  ];
  return { keys, onKeyDown };
}

function EmptyQueue({ filter, onShowAll }: { filter: QueueFilter; onShowAll: () => void }) {
  const { t } = useTranslation();
  const narrowed = filter.queue !== '' || filter.text !== '';
  if (filter.whose === 'all' && !narrowed) {
    return (
      <EmptyState icon="done" title={t('queue.emptyTitle')}>
        {t('queue.emptyText')}
      </EmptyState>
    );
  }
  const mine = filter.whose === 'mine' && !narrowed;
  return (
    <EmptyState
      title={t(mine ? 'queue.emptyMineTitle' : 'queue.emptyFilterTitle')}
      action={
        <Button variant="default" onClick={onShowAll}>
          {t('queue.showAll')}
        </Button>
      }
    >
      {t(mine ? 'queue.emptyMineText' : 'queue.emptyFilterText')}
    </EmptyState>
  );
}

/** Announces to screen readers that a row has left the list. */
function DepartureAnnouncement({ rows }: { rows: ShownRow[] }) {
  const { t } = useTranslation();
  const [announced, setAnnounced] = useState('');
  const departed = rows.filter((shown) => shown.left).at(-1);
  const name = departed?.left?.status === 'CLAIMED' ? departed.left.assignee?.name : undefined;
  const reference = departed?.row.case?.reference ?? '';
  const sentence = departed
    ? name
      ? t('queue.tookItAloud', { name, reference })
      : t('queue.leftAloud', { reference })
    : '';
  useEffect(() => {
    if (sentence !== '') setAnnounced(sentence);
  }, [sentence]);
  return (
    <div role="status" className="cs-visually-hidden">
      {announced}
    </div>
  );
}
