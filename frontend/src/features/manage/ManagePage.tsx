// The manager's board: overdue and at-risk reviews, and their reassignment.
import { Button, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReviewDue, ReviewFilter } from '../../graphql/generated/graphql';
import { countedUpTo } from '../../lib/review-count';
import { useStale } from '../../lib/use-stale';
import { KeyHelp } from '../../ui/KeyHelp';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { BoardTable } from './BoardTable';
import { Forecast } from './Forecast';
import { OutcomeNotice } from './OutcomeNotice';
import { PeopleLoadTable } from './PeopleLoadTable';
import { QueueCards } from './QueueCards';
import { ReassignDialog } from './ReassignDialog';
import { SelectionBar } from './SelectionBar';
import { useBoard } from './use-board';
import { useReassign } from './use-reassign';

type Due = 'ALL' | ReviewDue;

export function ManagePage() {
  const { t } = useTranslation();
  const { due: dueParam, queue: queueParam } = useSearch({ from: '/signed-in/manage' });
  const navigate = useNavigate();
  const due: Due = dueParam ?? 'ALL';
  const queue = queueParam ?? null;
  const narrow = useMediaQuery('(max-width: 48em)') ?? false;
  // The filter is stored in the address, so that it can be bookmarked and shared.
  const applyFilter = (next: { due: Due; queue: string | null }) => {
    const search = {
      ...(next.due !== 'ALL' && { due: next.due }),
      ...(next.queue && { queue: next.queue }),
    };
    void navigate({ to: '/manage', search, replace: true });
  };
  const filter = useMemo<ReviewFilter>(
    () => ({ all: true, due: due === 'ALL' ? null : due, queue }) as ReviewFilter,
    [due, queue],
  );
  const data = useBoard(filter);
  const { snapshot, send } = useReassign();
  const { context } = snapshot;
  const { rows, board } = data;

  // Deselect reviews that have left the list.
  useEffect(() => {
    if (!board.ready) return;
    const listed = new Set(rows.map((row) => row.id));
    const ids = [...context.chosen.keys()].filter((id) => !listed.has(id));
    const event = { type: 'left', ids } as const;
    if (ids.length > 0 && snapshot.can(event)) send(event);
  }, [board.ready, rows, context.chosen, snapshot, send]);

  // A review that another person has changed is read again, so that it can be sent again.
  const refusals = useMemo(
    () =>
      [...context.outcomes.values()].flatMap((one) =>
        one.kind === 'refused' ? [one.refusal] : [],
      ),
    [context.outcomes],
  );
  useStale(refusals, data.resubscribe);

  const chooseAll = async () => {
    const all = rows.length < board.total ? await data.loadAll() : rows;
    send({ type: 'choose', rows: all });
  };
  const total = (data.queues ?? []).reduce(
    (sum, one) => ({
      overdue: sum.overdue + one.overdue,
      atRisk: sum.atRisk + one.atRisk,
      all: sum.all + one.available + one.assigned + one.claimed,
    }),
    { overdue: 0, atRisk: 0, all: 0 },
  );
  const failure = data.error ?? data.queuesError;
  if (failure && !board.ready) return <PageFailure error={failure} onRetry={data.resubscribe} />;
  return (
    <>
      <PageHeader title={t('titles.manage')}>{t('manage.intro')}</PageHeader>
      <Stack gap="lg">
        <QueueCards
          queues={data.queues}
          chosen={queue}
          onChoose={(next) => applyFilter({ due, queue: next })}
        />
        <Forecast queue={queue} countsKey={JSON.stringify([total, queue])} />
        <section aria-label={t('manage.reviews')}>
          <SegmentedControl
            aria-label={t('manage.filter')}
            size={narrow ? 'xs' : 'sm'}
            fullWidth={narrow}
            value={due}
            onChange={(value) => applyFilter({ due: value as Due, queue })}
            data={[
              { value: 'ALL', label: t('manage.due.all', { count: total.all }) },
              { value: 'OVERDUE', label: t('manage.due.overdue', { count: total.overdue }) },
              { value: 'AT_RISK', label: t('manage.due.atRisk', { count: total.atRisk }) },
            ]}
            mb="sm"
            maw="100%"
          />
          <OutcomeNotice context={context} sending={snapshot.matches('sending')} />
          {!board.ready && <LoadingState lines={8} />}
          {board.ready && rows.length === 0 && (
            <EmptyState icon="done" title={t('manage.empty.title')}>
              {due === 'ALL' && queue === null ? t('manage.empty.all') : t('manage.empty.filter')}
            </EmptyState>
          )}
          {board.ready && (
            <BoardTable
              rows={rows}
              departedReviews={board.departed}
              context={context}
              busy={!snapshot.matches('choosing')}
              send={send}
            />
          )}
          {board.ready && rows.length < board.total && (
            <Stack align="center" mt="sm" gap={6}>
              <Text size="sm" c="dimmed">
                {t(board.total < countedUpTo ? 'manage.shown' : 'manage.shownOfMany', {
                  shown: rows.length,
                  total: board.total,
                })}
              </Text>
              <Button
                variant="default"
                loading={data.loadingAll}
                onClick={() => void data.loadAll()}
              >
                {t('manage.showAll')}
              </Button>
            </Stack>
          )}
        </section>
        <PeopleLoadTable people={data.people} />
      </Stack>
      <SelectionBar
        chosen={context.chosen.size}
        total={board.total}
        loading={data.loadingAll}
        sending={
          snapshot.matches('sending') ? { sent: context.sent, answered: context.answered } : null
        }
        onReassign={() => send({ type: 'openDialog' })}
        onSelectAll={() => void chooseAll()}
        onClear={() => send({ type: 'clear' })}
      />
      {snapshot.matches('confirming') && (
        <ReassignDialog context={context} rows={rows} send={send} />
      )}
      <KeyHelp
        keys={[
          { keys: 'a', ctrl: true, label: t('manage.keys.all'), run: () => void chooseAll() },
          {
            keys: 'g',
            label: t('manage.keys.give'),
            run: () => send({ type: 'openDialog' }),
          },
          { keys: 'Escape', label: t('manage.keys.clear'), run: () => send({ type: 'clear' }) },
          { keys: 'j', label: t('manage.keys.next'), run: () => focusRow(1), onFocus: true },
          { keys: 'k', label: t('manage.keys.previous'), run: () => focusRow(-1), onFocus: true },
        ]}
      />
    </>
  );
}

function PageFailure({ error, onRetry }: Parameters<typeof ErrorState>[0]) {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader title={t('titles.manage')} />
      <ErrorState error={error} {...(onRetry && { onRetry })} />
    </>
  );
}

/** Moves the focus to the first or last row. */
function focusRow(step: 1 | -1): void {
  const boxes = [
    ...document.querySelectorAll<HTMLInputElement>('[data-board] input[type="checkbox"][data-row]'),
  ];
  (step === 1 ? boxes[0] : boxes.at(-1))?.focus();
}
