// Statistics of a period: totals, charts, figures by group, corrections, rules and the waiting time of
// the steps of a process. Period and filters are in the address.
import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { StatisticsPeriod } from '../../graphql/generated/graphql';
import { dayOf } from '../../lib/days';
import { queueLabels } from '../../lib/labels';
import { ExportMenu } from '../../ui/ExportMenu';
import { Icon } from '../../ui/Icon';
import { EmptyState, ErrorState, LoadingState, Notice, PageHeader } from '../../ui/states';
import { Details } from './Details';
import { Figures } from './Figures';
import { HeatMap } from './HeatMap';
import {
  exportFilters,
  filterOf,
  lastDays,
  periodOf,
  presetOf,
  presets,
  type StatisticsSearch,
} from './period';
import { Statistics } from './statistics.graphql';
import classes from './statistics.module.css';
import { useProcessTitle } from './use-process-title';

const groups = ['DAY', 'QUEUE', 'PROCESS', 'PERSON'] as const;

export function StatisticsPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/signed-in/statistics' });
  const navigate = useNavigate();
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const today = dayOf(new Date());
  const period = periodOf(search, today, zone);
  const apply = (next: StatisticsSearch) =>
    void navigate({ to: '/statistics', search: next, replace: true });
  return (
    <>
      <PageHeader
        title={t('titles.statistics')}
        actions={
          period && <ExportMenu kind="statistics" filters={exportFilters(search, period, false)} />
        }
      >
        {t('statistics.intro', { zone })}
      </PageHeader>
      <Stack gap="lg">
        <Filters search={search} today={today} zone={zone} onApply={apply} />
        {period ? (
          <Report search={search} period={period} onApply={apply} />
        ) : (
          <Notice tone="warn">{t('statistics.tooLong')}</Notice>
        )}
      </Stack>
    </>
  );
}

interface FiltersProps {
  search: StatisticsSearch;
  today: string;
  zone: string;
  onApply: (search: StatisticsSearch) => void;
}

function Filters({ search, today, zone, onApply }: FiltersProps) {
  const { t } = useTranslation();
  const shown = { ...lastDays(presets[0], today), ...search };
  const preset = presetOf(periodOf(search, today, zone), today);
  return (
    <div className={`cs-card ${classes.filters}`}>
      <Group gap={6} role="group" aria-label={t('statistics.period')}>
        {presets
          .toSorted((a, b) => a - b)
          .map((days) => (
            <Button
              key={days}
              size="xs"
              variant={preset === days ? 'light' : 'default'}
              aria-pressed={preset === days}
              onClick={() => onApply({ ...search, ...lastDays(days, today) })}
            >
              {t('statistics.days', { count: days })}
            </Button>
          ))}
      </Group>
      {(['from', 'to'] as const).map((end) => (
        <TextInput
          key={end}
          type="date"
          size="xs"
          label={t(`statistics.${end}`)}
          value={shown[end]}
          onChange={({ currentTarget: { value } }) => {
            if (value) onApply({ ...search, from: shown.from, to: shown.to, [end]: value });
          }}
        />
      ))}
      <SegmentedControl
        size="xs"
        aria-label={t('statistics.by')}
        value={search.by ?? 'DAY'}
        onChange={(value) => {
          const { by: _, ...rest } = search;
          onApply(value === 'DAY' ? rest : { ...rest, by: value as 'QUEUE' });
        }}
        data={groups.map((value) => ({ value, label: t(`statistics.group.${value}`) }))}
      />
    </div>
  );
}

interface ReportProps {
  search: StatisticsSearch;
  period: StatisticsPeriod;
  onApply: (search: StatisticsSearch) => void;
}

function Report({ search, period, onApply }: ReportProps) {
  const { t } = useTranslation();
  const [{ data, error, stale }, refetch] = useQuery({
    query: Statistics,
    variables: { period, by: search.by ?? 'DAY', filter: filterOf(search) },
    requestPolicy: 'cache-and-network',
  });
  const title = useProcessTitle();
  const names = useRef(new Map<string, string>());
  if (error && !data)
    return <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />;
  if (!data) return <LoadingState lines={8} />;
  const { scope, queues, excludedProcesses, total, rows } = data.statistics;
  // Rows by day have no person, so the names in earlier rows are kept.
  for (const { person } of rows) if (person) names.current.set(person.id, person.name);
  const name = names.current.get(search.person ?? '');
  const nothing =
    total.reviews.decided === 0 &&
    total.reviews.late === 0 &&
    (total.reviews.opened ?? 0) === 0 &&
    (total.cases?.submitted ?? 0) === 0 &&
    (total.cases?.ended ?? 0) === 0;
  return (
    <Stack gap="lg" aria-busy={stale}>
      <div>
        <Text size="sm" c="dimmed">
          {t(`statistics.scope.${scope}`, { queues: queueLabels(t, queues) })}{' '}
          {excludedProcesses.length > 0 &&
            t('statistics.excluded', { processes: excludedProcesses.map(title).join(', ') })}
        </Text>
        <Chosen search={search} personName={name} onApply={onApply} />
      </div>
      {nothing ? (
        <EmptyState icon="chart" title={t('statistics.none')}>
          {t('statistics.noneText')}
        </EmptyState>
      ) : (
        <Figures search={search} total={total} rows={rows} onApply={onApply} />
      )}
      <Details search={search} period={period} />
      {scope !== 'OWN' && <Link to="/statistics/forecast">{t('statistics.forecast')}</Link>}
      {scope !== 'OWN' && <HeatMap search={search} period={period} onApply={onApply} />}
    </Stack>
  );
}

/** The filters that were chosen in the table, each with a button that removes it. */
function Chosen({
  search,
  personName,
  onApply,
}: {
  search: StatisticsSearch;
  personName: string | undefined;
  onApply: (search: StatisticsSearch) => void;
}) {
  const { t } = useTranslation();
  const title = useProcessTitle();
  const { queue, process, person, ...rest } = search;
  const filters = [
    queue && { key: 'queue', name: queue, label: t('statistics.removeQueue', { name: queue }) },
    process && {
      key: 'process',
      name: title(process),
      label: t('statistics.removeProcess', { name: title(process) }),
    },
    person && {
      key: 'person',
      name: personName ?? t('statistics.group.PERSON'),
      label: t('statistics.removePerson', { name: personName ?? '' }),
    },
  ].filter((one) => one !== undefined && one !== '');
  if (filters.length === 0) return null;
  const all = { ...(queue && { queue }), ...(process && { process }), ...(person && { person }) };
  return (
    <Group gap={6} mt={6} role="group" aria-label={t('statistics.filters')}>
      {filters.map(({ key, name, label }) => (
        <Button
          key={key}
          size="compact-sm"
          variant="light"
          aria-label={label}
          rightSection={<Icon name="cross" size={13} />}
          onClick={() => {
            const kept = Object.fromEntries(
              Object.entries(all).filter(([filter]) => filter !== key),
            );
            onApply({ ...rest, ...kept });
          }}
        >
          {name}
        </Button>
      ))}
    </Group>
  );
}
