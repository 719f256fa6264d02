// The open incidents, grouped by cause.
import { Button, Stack } from '@mantine/core';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery, useSubscription } from 'urql';
import { useReread } from '../../graphql/use-reread';
import { useResubscribe } from '../../graphql/use-resubscribe';
import { useSignedIn } from '../../lib/session';
import { useStore } from '../../lib/store';
import { EmptyState, ErrorState, LoadingState, Notice, PageHeader } from '../../ui/states';
import { GroupCard } from './GroupCard';
import { countRepairs, groupsOf } from './groups';
import { IncidentCount, IncidentGroups } from './incidents.graphql';
import { type Repair, repairsOf } from './repairs';

/** When the number of incidents was last counted, live. */
function useCountedAt(): string | undefined {
  const [{ data, error }, resubscribe] = useSubscription({
    query: IncidentCount,
    pause: !useSignedIn(),
  });
  useResubscribe(error, resubscribe);
  return data?.notifications.at;
}

export function IncidentsPage() {
  const { t } = useTranslation();
  const client = useClient();
  const repairs = repairsOf(client);
  const repairList = useStore(repairs.list);
  const [{ data, error, fetching, stale }, refetch] = useQuery({
    query: IncidentGroups,
    requestPolicy: 'cache-and-network',
  });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  useReread(useCountedAt(), fetching || stale, reload);
  // A repair that changes state changes the list of open incidents.
  const repairSignature = repairList
    .map(({ incident, state }) => `${incident.id}${String(state.value)}${state.context.attempt}`)
    .join(' ');
  const lastSignature = useRef(repairSignature);
  useEffect(() => {
    if (lastSignature.current !== repairSignature) refetch({ requestPolicy: 'network-only' });
    lastSignature.current = repairSignature;
  }, [repairSignature, refetch]);
  const groups = useMemo(
    () => groupsOf(data?.incidentGroups ?? [], repairList),
    [data, repairList],
  );
  return (
    <>
      <PageHeader title={t('titles.incidents')}>{t('incidents.intro')}</PageHeader>
      {error && !data && <ErrorState error={error} onRetry={reload} />}
      {!error && !data && <LoadingState lines={8} />}
      {data && (
        <Stack gap="md">
          <RepairsNotice repairList={repairList} onDismiss={(ids) => repairs.dismiss(ids)} />
          {groups.length === 0 && (
            <EmptyState icon="done" title={t('incidents.empty.title')}>
              {t('incidents.empty.text')}
            </EmptyState>
          )}
          {groups.map((group) => (
            <GroupCard
              key={group.key}
              group={group}
              repairList={repairList}
              repairs={repairs}
              defaultOpened={groups.length === 1}
            />
          ))}
        </Stack>
      )}
    </>
  );
}

/** The progress of all repairs in one notice. */
function RepairsNotice({
  repairList,
  onDismiss,
}: {
  repairList: readonly Repair[];
  onDismiss: (caseIds: string[]) => void;
}) {
  const { t } = useTranslation();
  const count = countRepairs(repairList);
  if (count.queued + count.passed + count.failed + count.ended === 0) return null;
  const finished = repairList.filter(({ state }) => state.status === 'done');
  const tone = count.failed > 0 ? 'bad' : count.queued > 0 ? 'warn' : 'good';
  const icon = count.failed > 0 ? 'alert' : count.queued > 0 ? 'clock' : 'done';
  return (
    <Notice tone={tone} icon={icon} live>
      {count.queued > 0 && <div>{t('incidents.counts.asked', { count: count.queued })}</div>}
      {count.passed > 0 && <div>{t('incidents.counts.passed', { count: count.passed })}</div>}
      {count.failed > 0 && <div>{t('incidents.counts.failed', { count: count.failed })}</div>}
      {count.ended > 0 && <div>{t('incidents.counts.ended', { count: count.ended })}</div>}
      {finished.length > 0 && (
        <Button
          size="compact-sm"
          variant="default"
          mt={6}
          onClick={() => onDismiss(finished.flatMap(({ incident }) => incident.case?.id ?? []))}
        >
          {t('incidents.putAway')}
        </Button>
      )}
    </Notice>
  );
}
