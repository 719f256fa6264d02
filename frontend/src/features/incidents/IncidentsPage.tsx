// Steps that failed for good, by their cause, and the ways out.
import { Button, Stack } from '@mantine/core';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery, useSubscription } from 'urql';
import { failureOf, transientCodes } from '../../lib/refusals';
import { useSignedIn } from '../../lib/session';
import { useStore } from '../../lib/store';
import { EmptyState, ErrorState, LoadingState, Notice, PageHeader } from '../../ui/states';
import { GroupCard } from './GroupCard';
import { groupsOf, tally } from './groups';
import { IncidentGroups, IncidentPulse } from './incidents.graphql';
import { type Repair, repairsOf } from './repairs';

const longestWait = 8_000;

/** Calls back when the number of incidents has changed, the first frame excepted. */
function usePulse(onChange: () => void): void {
  const signedIn = useSignedIn();
  const first = useRef(true);
  const failures = useRef(0);
  const told = useRef(onChange);
  useEffect(() => {
    told.current = onChange;
  });
  const [{ data, error }, again] = useSubscription({ query: IncidentPulse, pause: !signedIn });
  const at = data?.notifications.at;
  useEffect(() => {
    if (at === undefined) return;
    if (!first.current) told.current();
    first.current = false;
  }, [at]);
  useEffect(() => {
    if (!error || !transientCodes.has(failureOf(error).code)) return;
    const timer = setTimeout(again, Math.min(longestWait, 500 * 2 ** failures.current++));
    return () => clearTimeout(timer);
  }, [error, again]);
}

export function IncidentsPage() {
  const { t } = useTranslation();
  const client = useClient();
  const repairs = repairsOf(client);
  const begun = useStore(repairs.list);
  const [{ data, error }, read] = useQuery({
    query: IncidentGroups,
    requestPolicy: 'cache-and-network',
  });
  const reread = () => read({ requestPolicy: 'network-only' });
  usePulse(reread);
  // A repair that has moved on changes what stands.
  const moves = begun
    .map(({ incident, state }) => `${incident.id}${String(state.value)}${state.context.attempt}`)
    .join(' ');
  const before = useRef(moves);
  useEffect(() => {
    if (before.current !== moves) read({ requestPolicy: 'network-only' });
    before.current = moves;
  }, [moves, read]);
  const groups = useMemo(() => groupsOf(data?.incidentGroups ?? [], begun), [data, begun]);
  return (
    <>
      <PageHeader title={t('incidents.title')}>{t('incidents.intro')}</PageHeader>
      {error && !data && <ErrorState error={error} onRetry={reread} />}
      {!error && !data && <LoadingState lines={8} />}
      {data && (
        <Stack gap="md">
          <RepairsNotice begun={begun} onForget={(ids) => repairs.forget(ids)} />
          {groups.length === 0 && (
            <EmptyState icon="done" title={t('incidents.empty.title')}>
              {t('incidents.empty.text')}
            </EmptyState>
          )}
          {groups.map((group) => (
            <GroupCard
              key={group.key}
              group={group}
              begun={begun}
              repairs={repairs}
              alone={groups.length === 1}
            />
          ))}
        </Stack>
      )}
    </>
  );
}

/** How far what was asked for has come, in one sentence. */
function RepairsNotice({
  begun,
  onForget,
}: {
  begun: readonly Repair[];
  onForget: (caseIds: string[]) => void;
}) {
  const { t } = useTranslation();
  const count = tally(begun);
  if (count.asked + count.passed + count.failed + count.ended === 0) return null;
  const over = begun.filter(({ state }) => state.status === 'done');
  const tone = count.failed > 0 ? 'bad' : count.asked > 0 ? 'warn' : 'good';
  const icon = count.failed > 0 ? 'alert' : count.asked > 0 ? 'clock' : 'done';
  return (
    <Notice tone={tone} icon={icon} live>
      {count.asked > 0 && <div>{t('incidents.tally.asked', { count: count.asked })}</div>}
      {count.passed > 0 && <div>{t('incidents.tally.passed', { count: count.passed })}</div>}
      {count.failed > 0 && <div>{t('incidents.tally.failed', { count: count.failed })}</div>}
      {count.ended > 0 && <div>{t('incidents.tally.ended', { count: count.ended })}</div>}
      {over.length > 0 && (
        <Button
          size="compact-sm"
          variant="default"
          mt={6}
          onClick={() => onForget(over.flatMap(({ incident }) => incident.case?.id ?? []))}
        >
          {t('incidents.putAway')}
        </Button>
      )}
    </Notice>
  );
}
