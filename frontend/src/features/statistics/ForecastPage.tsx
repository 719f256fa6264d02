// The forecast: the reviews of past weeks replayed as they were and with a change. Weeks and change are
// in the address.

import {
  NumberInput,
  SegmentedControl,
  Select,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { ReplayFieldsFragment, ReplayOfWeeksQuery } from '../../graphql/generated/graphql';
import { dayOf } from '../../lib/days';
import { queueLabel, queueLabels } from '../../lib/labels';
import { whenOnline } from '../../lib/when-online';
import { ExportMenu } from '../../ui/ExportMenu';
import { EmptyState, ErrorState, LoadingState, Notice, PageHeader } from '../../ui/states';
import {
  changeOf,
  changesSomething,
  deadlineChoices,
  deadlineOf,
  type ForecastSearch,
  isAmount,
  largestChange,
  replayFilters,
  reviewersOf,
  sumOf,
  weekChoices,
  weekEnds,
  weeksOf,
} from './forecast';
import { ReplayOfWeeks, ReplayProcesses } from './forecast.graphql';
import { durationText, lastDays } from './period';
import classes from './statistics.module.css';
import { useProcessTitle } from './use-process-title';

const Charts = lazy(() => whenOnline(async () => ({ default: (await import('./Charts')).Charts })));

type Replay = ReplayOfWeeksQuery['replay'];
type Queue = Replay['queues'][number];

export function ForecastPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/signed-in/statistics/forecast' });
  const navigate = useNavigate();
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const apply = (next: ForecastSearch) =>
    void navigate({ to: '/statistics/forecast', search: next, replace: true });
  const [{ data, error, stale }, refetch] = useQuery({
    query: ReplayOfWeeks,
    variables: { weeks: weeksOf(search), zone, change: changeOf(search) },
    requestPolicy: 'cache-and-network',
  });
  return (
    <>
      <PageHeader
        title={t('titles.forecast')}
        actions={<ExportMenu kind="replay" filters={replayFilters(search, zone)} />}
      >
        {t('forecast.intro')}
      </PageHeader>
      <Stack gap="lg">
        <Change search={search} queues={data?.replay.queues ?? []} zone={zone} onApply={apply} />
        {error && !data && (
          <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
        )}
        {!error && !data && <LoadingState lines={8} />}
        {data && (
          <Stack gap="lg" aria-busy={stale}>
            <Result search={search} replay={data.replay} />
          </Stack>
        )}
      </Stack>
    </>
  );
}

interface ChangeProps {
  search: ForecastSearch;
  queues: readonly Queue[];
  zone: string;
  onApply: (search: ForecastSearch) => void;
}

function Change({ search, queues, zone, onApply }: ChangeProps) {
  const { t } = useTranslation();
  const period = { ...lastDays(7 * weeksOf(search), dayOf(new Date())), zone };
  const [{ data }] = useQuery({ query: ReplayProcesses, variables: { period } });
  const title = useProcessTitle();
  const processes = (data?.statistics.rows ?? []).map(({ key }) => key);
  const names = queues.map(({ queue }) => queue);
  const withSearch = (name: string | undefined, list: string[]) =>
    name && !list.includes(name) ? [...list, name] : list;
  /** Applies a change of one value; undefined removes it from the address. */
  const put = (next: { [key in keyof ForecastSearch]: ForecastSearch[key] | undefined }) => {
    const all = Object.entries({ ...search, ...next }).filter(([, value]) => value !== undefined);
    onApply(Object.fromEntries(all) as ForecastSearch);
  };
  return (
    <div className={`cs-card ${classes.filters}`}>
      <SegmentedControl
        size="xs"
        aria-label={t('forecast.weeks')}
        value={String(weeksOf(search))}
        onChange={(weeks) => put({ weeks: Number(weeks) })}
        data={weekChoices.map((count) => ({
          value: String(count),
          label: t('forecast.lastWeeks', { count }),
        }))}
      />
      <Select
        size="xs"
        label={t('forecast.queue')}
        placeholder={t('forecast.choose')}
        value={search.queue ?? null}
        onChange={(queue) => put({ queue: queue ?? undefined })}
        data={withSearch(search.queue, names)}
        clearable
      />
      <NumberInput
        size="xs"
        w={130}
        label={t('forecast.reviewers')}
        min={-largestChange}
        max={largestChange}
        allowDecimal={false}
        clampBehavior="strict"
        disabled={!search.queue}
        value={reviewersOf(search)}
        onChange={(value) => put({ reviewers: Number(value) || undefined })}
      />
      <div>
        <Text size="xs" fw={500} id="forecast-deadline">
          {t('forecast.deadline')}
        </Text>
        <SegmentedControl
          size="xs"
          aria-labelledby="forecast-deadline"
          disabled={!search.queue}
          value={String(deadlineOf(search))}
          onChange={(value) => put({ deadline: value === '100' ? undefined : Number(value) })}
          data={deadlineChoices.map((percent) => ({
            value: String(percent),
            label: t(`forecast.deadlines.${percent}`),
          }))}
        />
      </div>
      <Select
        size="xs"
        label={t('forecast.process')}
        placeholder={t('forecast.choose')}
        value={search.process ?? null}
        onChange={(process) => put({ process: process ?? undefined })}
        data={withSearch(search.process, processes).map((key) => ({
          value: key,
          label: title(key),
        }))}
        clearable
      />
      <Amount search={search} onApply={(from) => put({ from })} />
    </div>
  );
}

/** The amount is applied when the field is left or Enter is pressed. */
function Amount({
  search,
  onApply,
}: {
  search: ForecastSearch;
  onApply: (from: string | undefined) => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState(search.from ?? '');
  useEffect(() => setText(search.from ?? ''), [search.from]);
  const wrong = text !== '' && !isAmount(text);
  const apply = () => {
    if (!wrong && text !== (search.from ?? '')) onApply(text === '' ? undefined : text);
  };
  return (
    <TextInput
      size="xs"
      w={170}
      label={t('forecast.amount')}
      placeholder="2000.00"
      inputMode="decimal"
      disabled={!search.process}
      value={text}
      error={wrong && t('forecast.notAnAmount')}
      onChange={({ currentTarget: { value } }) => setText(value)}
      onBlur={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  );
}

function Result({ search, replay }: { search: ForecastSearch; replay: Replay }) {
  const { t, i18n } = useTranslation();
  const changed = changesSomething(search);
  const title = useProcessTitle();
  const { queues, unknownQueues, error, excludedProcesses, scope } = replay;
  const number = (value: number) =>
    new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 }).format(value);
  const unknown = unknownQueues.length > 0 && (
    <Text size="sm" c="dimmed">
      {t('forecast.unknown', { queues: queueLabels(t, unknownQueues) })}
    </Text>
  );
  if (queues.length === 0)
    return (
      <>
        <EmptyState icon="chart" title={t('forecast.none')}>
          {t('forecast.noneText')}
        </EmptyState>
        {unknown}
      </>
    );
  const before = sumOf(queues.map((one) => one.replayed));
  const after = sumOf(queues.map((one) => one.changed));
  return (
    <>
      <div>
        <Text size="sm" c="dimmed">
          {scope === 'QUEUES' && t('forecast.scope')}{' '}
          {excludedProcesses.length > 0 &&
            t('statistics.excluded', { processes: excludedProcesses.map(title).join(', ') })}
        </Text>
        {unknown}
      </div>
      <Notice tone={error ? 'busy' : 'warn'}>
        {error
          ? t('forecast.error', {
              count: error.weeks,
              decided: number(error.decided),
              time: number(error.time),
            })
          : t('forecast.noError')}
      </Notice>
      <Text aria-live="polite" fw={600}>
        {changed
          ? t('forecast.summary', {
              late: after.late,
              lateBefore: before.late,
              open: after.open,
              openBefore: before.open,
            })
          : t('forecast.noChange')}
      </Text>
      {(replay.removed > 0 || replay.added > 0) && (
        <Text size="sm">
          {t('forecast.bound', { removed: replay.removed, added: replay.added })}
        </Text>
      )}
      <OpenChart replay={replay} changed={changed} />
      <QueueTable queues={queues} changed={changed} />
      <WeekTable replay={replay} changed={changed} />
    </>
  );
}

interface PartProps {
  replay: Replay;
  changed: boolean;
}

function OpenChart({ replay, changed }: PartProps) {
  const { t } = useTranslation();
  const series = [
    { name: 'recorded', label: t('forecast.recorded'), color: 'gray.6' },
    { name: 'replayed', label: t('forecast.replayed'), color: 'blue.6' },
    ...(changed ? [{ name: 'changed', label: t('forecast.changed'), color: 'orange.6' }] : []),
  ];
  return (
    <Suspense fallback={<Skeleton height={290} />}>
      <Charts
        charts={[
          {
            kind: 'lines',
            title: t('forecast.openByDay'),
            points: replay.days.map(({ day, ...counts }) => ({
              key: day,
              recorded: counts.recorded,
              replayed: counts.replayed,
              changed: counts.changed,
            })),
            series,
          },
        ]}
      />
    </Suspense>
  );
}

const kinds = ['recorded', 'replayed', 'changed'] as const;

function QueueTable({ queues, changed }: { queues: readonly Queue[]; changed: boolean }) {
  const { t, i18n } = useTranslation();
  const none = t('ui.none');
  const time = (figures: ReplayFieldsFragment, which: 'median' | 'p90') =>
    figures.time ? durationText(figures.time[which], i18n.language) : none;
  const shown = changed ? kinds : kinds.slice(0, 2);
  const reviewers = (queue: Queue, kind: (typeof kinds)[number]) =>
    ({ recorded: none, replayed: queue.reviewers, changed: queue.changedReviewers })[kind];
  return (
    <div className="cs-card">
      <Title order={2} id="forecast-queues" size="h4" mb="xs">
        {t('forecast.queues')}
      </Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable */}
      <section className={classes.dense} tabIndex={0} aria-labelledby="forecast-queues">
        <table className="cs-table" aria-labelledby="forecast-queues">
          <thead>
            <tr>
              <th>{t('forecast.queue')}</th>
              <th>{t('forecast.figures')}</th>
              {(
                ['people', 'opened', 'decided', 'open', 'late', 'median', 'p90', 'work'] as const
              ).map((name) => (
                <th data-number key={name}>
                  {t(`forecast.column.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {queues.flatMap((queue) =>
              shown.map((kind) => (
                <tr key={`${queue.queue} ${kind}`}>
                  <th scope="row">{queueLabel(t, queue.queue)}</th>
                  <td>{t(`forecast.${kind}`)}</td>
                  <td data-number>{reviewers(queue, kind)}</td>
                  <td data-number>{queue[kind].opened}</td>
                  <td data-number>{queue[kind].decided}</td>
                  <td data-number>{queue[kind].open}</td>
                  <td data-number>{queue[kind].late}</td>
                  <td data-number>{time(queue[kind], 'median')}</td>
                  <td data-number>{time(queue[kind], 'p90')}</td>
                  <td data-number>
                    {queue[kind].perReviewer === null
                      ? none
                      : durationText(queue[kind].perReviewer, i18n.language)}
                  </td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </section>
    </div>
  );
}

/** The figures of the chart, for screen readers and for people who prefer numbers. */
function WeekTable({ replay, changed }: PartProps) {
  const { t } = useTranslation();
  return (
    <details className="cs-card">
      <summary id="forecast-weeks">{t('forecast.openByWeek')}</summary>
      <table className="cs-table" aria-labelledby="forecast-weeks">
        <thead>
          <tr>
            <th>{t('forecast.day')}</th>
            <th data-number>{t('forecast.recorded')}</th>
            <th data-number>{t('forecast.replayed')}</th>
            {changed && <th data-number>{t('forecast.changed')}</th>}
          </tr>
        </thead>
        <tbody>
          {weekEnds(replay.days).map((day) => (
            <tr key={day.day}>
              <th scope="row">{day.day}</th>
              <td data-number>{day.recorded}</td>
              <td data-number>{day.replayed}</td>
              {changed && <td data-number>{day.changed}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
