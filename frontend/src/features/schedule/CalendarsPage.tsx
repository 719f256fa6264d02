// The working calendars: weekly hours in a time zone, and holidays. Deadlines count working time
// only.
import { Button, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ComponentType, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { CalendarLineFragment } from '../../graphql/generated/graphql';
import { queueLabels } from '../../lib/labels';
import type { ChangeRehearsalProps } from '../../ui/change-rehearsal';
import { DoneNotice, EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { CalendarDialog } from './CalendarDialog';
import { hoursText, week, weekdayName, weekHours } from './hours';
import { CalendarList } from './schedule.graphql';
import classes from './schedule.module.css';

/** The number of holidays listed; the rest is counted. */
const holidayLimit = 6;

interface CalendarsPageProps {
  ChangeRehearsal: ComponentType<ChangeRehearsalProps>;
}

export function CalendarsPage({ ChangeRehearsal }: CalendarsPageProps) {
  const { t } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: CalendarList,
    requestPolicy: 'cache-and-network',
  });
  const [editing, setEditing] = useState<CalendarLineFragment | 'new' | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const reload = () => refetch({ requestPolicy: 'network-only' });
  const calendars = data?.calendars.nodes ?? [];
  const edit = (one: CalendarLineFragment | 'new') => {
    setNotice(null);
    setEditing(one);
  };
  const queuesOf = (name: string) =>
    (data?.queueSettings ?? [])
      .filter(({ calendar }) => calendar === name)
      .map(({ queue }) => queue);
  return (
    <>
      <PageHeader
        title={t('titles.calendars')}
        actions={
          <Button variant="default" onClick={() => edit('new')}>
            {t('schedule.calendars.make')}
          </Button>
        }
      >
        {t('schedule.calendars.intro')} <Link to="/admin/queues">{t('titles.queues')}</Link>
      </PageHeader>
      <DoneNotice message={notice} />
      {error && !data && <ErrorState error={error} onRetry={reload} />}
      {!error && !data && <LoadingState lines={8} />}
      {data && calendars.length === 0 && (
        <EmptyState icon="clock" title={t('schedule.calendars.empty')}>
          {t('schedule.calendars.emptyText')}
        </EmptyState>
      )}
      <ul className={classes.list} aria-label={t('titles.calendars')}>
        {calendars.map((one) => (
          <CalendarCard
            key={one.name}
            one={one}
            queues={queuesOf(one.name)}
            onEdit={() => edit(one)}
          />
        ))}
      </ul>
      {editing && (
        <CalendarDialog
          existing={
            editing === 'new'
              ? null
              : (calendars.find(({ name }) => name === editing.name) ?? editing)
          }
          onStale={reload}
          ChangeRehearsal={ChangeRehearsal}
          onClose={() => setEditing(null)}
          onDone={(name) => {
            setNotice(t('schedule.calendars.done', { name }));
            setEditing(null);
            reload();
          }}
        />
      )}
    </>
  );
}

interface CalendarCardProps {
  one: CalendarLineFragment;
  queues: readonly string[];
  onEdit: () => void;
}

function CalendarCard({ one: calendar, queues, onEdit }: CalendarCardProps) {
  const { t, i18n } = useTranslation();
  const more = calendar.holidays.length - holidayLimit;
  return (
    <li className={`cs-card ${classes.item}`}>
      <div className={classes.long}>
        <Title order={2} className="cs-lines2">
          {calendar.name}
        </Title>
        <Text size="sm" c="dimmed">
          {calendar.zone} · {t('schedule.calendars.perWeek', { hours: weekHours(calendar.hours) })}
        </Text>
        <dl className={classes.days}>
          {week.map((weekday) => (
            <div key={weekday} style={{ display: 'contents' }}>
              <dt>{weekdayName(weekday, i18n.language)}</dt>
              <dd className="cs-numbers">
                {hoursText(calendar.hours, weekday) || t('schedule.calendars.free')}
              </dd>
            </div>
          ))}
        </dl>
        <Text size="sm">
          {calendar.holidays.length === 0
            ? t('schedule.calendars.noHolidays')
            : t('schedule.calendars.holidaysAre', {
                days: calendar.holidays.slice(0, holidayLimit).join(t('caseLabels.next.comma')),
              })}
          {more > 0 && ` ${t('schedule.calendars.more', { count: more })}`}
        </Text>
        <Text size="sm" c="dimmed">
          {queues.length === 0
            ? t('schedule.calendars.unused')
            : t('schedule.calendars.usedBy', { queues: queueLabels(t, queues) })}
        </Text>
      </div>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={t('schedule.calendars.changeOne', { name: calendar.name })}
        onClick={onEdit}
      >
        {t('schedule.change')}
      </Button>
    </li>
  );
}
