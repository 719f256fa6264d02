// The assignment and deadline settings of the queues.
import { Button, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { QueueLineFragment } from '../../graphql/generated/graphql';
import { queueLabel } from '../../lib/labels';
import { DoneNotice, EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { QueueDialog } from './QueueDialog';
import { QueueSettingsList } from './schedule.graphql';
import classes from './schedule.module.css';

const newQueue: QueueLineFragment = {
  __typename: 'QueueSettings',
  queue: '',
  version: '0',
  strategy: 'PULL',
  cap: 0,
  calendar: null,
  moveAfterMissedClaims: 0,
  moveToQueue: null,
};

export function QueuesPage() {
  const { t } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: QueueSettingsList,
    requestPolicy: 'cache-and-network',
  });
  const [editing, setEditing] = useState<QueueLineFragment | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const reload = () => refetch({ requestPolicy: 'network-only' });
  const queues = data?.queueSettings ?? [];
  const edit = (queue: QueueLineFragment) => {
    setNotice(null);
    setEditing(queue);
  };
  return (
    <>
      <PageHeader
        title={t('titles.queues')}
        actions={
          <Button variant="default" onClick={() => edit(newQueue)}>
            {t('schedule.queues.another')}
          </Button>
        }
      >
        {t('schedule.queues.intro')} <Link to="/admin/calendars">{t('titles.calendars')}</Link>
      </PageHeader>
      <DoneNotice message={notice} />
      {error && !data && <ErrorState error={error} onRetry={reload} />}
      {!error && !data && <LoadingState lines={8} />}
      {data && queues.length === 0 && (
        <EmptyState icon="inbox" title={t('schedule.queues.empty')}>
          {t('schedule.queues.emptyText')}
        </EmptyState>
      )}
      <ul className={classes.list} aria-label={t('titles.queues')}>
        {queues.map((one) => (
          <li key={one.queue} className={`cs-card ${classes.item}`}>
            <div className={classes.long}>
              <Title order={2} className="cs-lines2">
                {queueLabel(t, one.queue)}
              </Title>
              <Text size="sm">
                {t(`schedule.strategy.${one.strategy}`)}
                {one.cap > 0 && ` · ${t('schedule.queues.capOf', { count: one.cap })}`}
              </Text>
              <Text size="sm" c="dimmed">
                {one.calendar
                  ? t('schedule.queues.by', { name: one.calendar })
                  : t('schedule.queues.wholeTime')}
                {one.moveAfterMissedClaims > 0 &&
                  ` · ${t('schedule.queues.movesTo', { count: one.moveAfterMissedClaims, queue: one.moveToQueue ?? '' })}`}
              </Text>
            </div>
            <Button
              variant="default"
              size="compact-sm"
              aria-label={t('schedule.queues.changeOne', { name: one.queue })}
              onClick={() => edit(one)}
            >
              {t('schedule.change')}
            </Button>
          </li>
        ))}
      </ul>
      {editing && data && (
        <QueueDialog
          existing={queues.find(({ queue }) => queue === editing.queue) ?? editing}
          onStale={reload}
          calendars={data.calendars.nodes.map(({ name }) => name)}
          queues={queues.map(({ queue }) => queue)}
          onClose={() => setEditing(null)}
          onDone={(name) => {
            setNotice(t('schedule.queues.done', { name }));
            setEditing(null);
            reload();
          }}
        />
      )}
    </>
  );
}
