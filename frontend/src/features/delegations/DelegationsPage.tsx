// The delegations and absences of the user, and for managers and administrators those of others.
import { Button, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery, useSubscription } from 'urql';
import type { DelegationLineFragment } from '../../graphql/generated/graphql';
import { useReread } from '../../graphql/use-reread';
import { useResubscribe } from '../../graphql/use-resubscribe';
import { hasRole, usePerson, useSignedIn } from '../../lib/session';
import { ErrorState, LoadingState, Notice, PageHeader } from '../../ui/states';
import { DelegationDialog } from './DelegationDialog';
import {
  AllAbsences,
  AllDelegations,
  DelegationCounters,
  MyDelegations,
} from './delegations.graphql';
import { AbsenceList, DelegationList } from './Lists';
import { OutOfOfficeDialog } from './OutOfOfficeDialog';

type DialogName = 'delegation' | 'delegationOther' | 'absence' | 'absenceOther';

interface PageNotice {
  text: string;
  warning: string | null;
}

/** When a counter of the user last changed, live. */
function useCountedAt(): string | undefined {
  const [{ data, error }, resubscribe] = useSubscription({
    query: DelegationCounters,
    pause: !useSignedIn(),
  });
  useResubscribe(error, resubscribe);
  return data?.notifications.at;
}

export function DelegationsPage() {
  const { t } = useTranslation();
  const person = usePerson();
  const administers = hasRole(person, 'administrator');
  const managesWork = administers || hasRole(person, 'manager');
  const [{ data, error, fetching, stale }, refetchOwn] = useQuery({
    query: MyDelegations,
    requestPolicy: 'cache-and-network',
  });
  const [allDelegations, refetchAll] = useQuery({
    query: AllDelegations,
    variables: { first: 100 },
    pause: !administers,
    requestPolicy: 'cache-and-network',
  });
  const [absences, refetchAbsences] = useQuery({
    query: AllAbsences,
    pause: !managesWork,
    requestPolicy: 'cache-and-network',
  });
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const [notice, setNotice] = useState<PageNotice | null>(null);
  const reload = () => {
    refetchOwn({ requestPolicy: 'network-only' });
    if (administers) refetchAll({ requestPolicy: 'network-only' });
    if (managesWork) refetchAbsences({ requestPolicy: 'network-only' });
  };
  const reading = [allDelegations, absences].some((list) => list.fetching || list.stale);
  useReread(useCountedAt(), fetching || stale || reading, reload);
  const done = (text: string, uncoveredReviews = 0) => {
    setNotice({
      text,
      warning:
        uncoveredReviews > 0 ? t('delegations.withoutReviewer', { count: uncoveredReviews }) : null,
    });
    setDialog(null);
    reload();
  };
  const delegatedMessage = (delegation: DelegationLineFragment | null) =>
    delegation
      ? t('delegations.create.done', {
          delegator: delegation.delegator?.name ?? '',
          delegate: delegation.delegate?.name ?? '',
        })
      : t('delegations.create.waits');
  const viewer = data?.viewer;
  const me = viewer?.person;
  const colleagues = data?.colleagues ?? [];
  const isReviewer = (person?.queues.length ?? 0) > 0;
  const types = [
    ...new Set(
      (data?.processDefinitions.nodes ?? []).flatMap(({ documentTypes }) => documentTypes),
    ),
  ];
  const delegators = (allDelegations.data?.people ?? []).filter(
    (one) => !one.disabled && one.queues.length > 0,
  );
  const failure = error ?? allDelegations.error ?? absences.error;
  return (
    <>
      <PageHeader title={t('titles.delegations')}>{t('delegations.intro')}</PageHeader>
      {notice && (
        <Stack gap="xs" mb="md">
          <Notice tone="good" icon="done" live>
            {notice.text}
          </Notice>
          {notice.warning && (
            <Notice tone="warn" icon="alert" live>
              {notice.warning}
            </Notice>
          )}
        </Stack>
      )}
      {failure && !data && <ErrorState error={failure} onRetry={reload} />}
      {!failure && !data && <LoadingState lines={8} />}
      {viewer && me && (
        <Stack gap="lg">
          {(isReviewer || viewer.delegations.length > 0) && (
            <ListSection
              id="own-delegations"
              title={t('delegations.create.heading')}
              text={t('delegations.create.explained')}
              action={
                isReviewer && (
                  <Button variant="default" size="sm" onClick={() => setDialog('delegation')}>
                    {t('delegations.create.open')}
                  </Button>
                )
              }
              empty={viewer.delegations.length === 0 ? t('delegations.create.none') : null}
            >
              <DelegationList
                label={t('delegations.create.heading')}
                delegations={viewer.delegations}
                onEnded={done}
                onRefused={reload}
              />
            </ListSection>
          )}
          {(isReviewer || viewer.absences.length > 0) && (
            <ListSection
              id="away"
              title={t('delegations.outOfOffice.heading')}
              text={t('delegations.outOfOffice.explained')}
              action={
                isReviewer && (
                  <Button variant="default" size="sm" onClick={() => setDialog('absence')}>
                    {t('delegations.outOfOffice.open')}
                  </Button>
                )
              }
              empty={viewer.absences.length === 0 ? t('delegations.outOfOffice.none') : null}
            >
              <AbsenceList
                label={t('delegations.outOfOffice.heading')}
                absences={viewer.absences}
                onEnded={done}
                onRefused={reload}
              />
            </ListSection>
          )}
          {administers && (
            <ListSection
              id="all-delegations"
              title={t('delegations.all.delegations')}
              action={
                <Button variant="default" size="sm" onClick={() => setDialog('delegationOther')}>
                  {t('delegations.all.createDelegation')}
                </Button>
              }
              empty={
                allDelegations.data && allDelegations.data.delegations.nodes.length === 0
                  ? t('delegations.all.noDelegations')
                  : null
              }
            >
              {!allDelegations.data && !allDelegations.error && <LoadingState lines={3} />}
              <DelegationList
                label={t('delegations.all.delegations')}
                delegations={allDelegations.data?.delegations.nodes ?? []}
                onEnded={done}
                onRefused={reload}
              />
            </ListSection>
          )}
          {managesWork && (
            <ListSection
              id="all-away"
              title={t('delegations.all.absences')}
              action={
                <Button variant="default" size="sm" onClick={() => setDialog('absenceOther')}>
                  {t('delegations.all.setOutOfOffice')}
                </Button>
              }
              empty={
                absences.data && absences.data.absences.length === 0
                  ? t('delegations.all.noAbsences')
                  : null
              }
            >
              {!absences.data && !absences.error && <LoadingState lines={3} />}
              <AbsenceList
                label={t('delegations.all.absences')}
                absences={absences.data?.absences ?? []}
                onEnded={done}
                onRefused={reload}
              />
            </ListSection>
          )}
        </Stack>
      )}
      {me && (dialog === 'delegation' || dialog === 'delegationOther') && (
        <DelegationDialog
          delegators={
            dialog === 'delegation' ? [{ ...me, queues: person?.queues ?? [] }] : delegators
          }
          candidates={colleagues}
          types={types}
          onRefused={reload}
          onClose={() => setDialog(null)}
          onDone={(delegation, uncovered) => done(delegatedMessage(delegation), uncovered)}
        />
      )}
      {(dialog === 'absence' || dialog === 'absenceOther') && (
        <OutOfOfficeDialog
          people={dialog === 'absence' ? null : colleagues}
          colleagues={colleagues}
          onRefused={reload}
          onClose={() => setDialog(null)}
          onDone={(one, uncovered, waits) =>
            done(
              t(waits ? 'delegations.outOfOffice.partWaits' : 'delegations.outOfOffice.done', {
                name: one.person?.name ?? '',
              }),
              uncovered,
            )
          }
        />
      )}
    </>
  );
}

interface ListSectionProps {
  id: string;
  title: string;
  text?: string;
  action?: ReactNode;
  /** Shown instead of an empty list. */
  empty: string | null;
  children: ReactNode;
}

function ListSection({ id, title, text, action, empty, children }: ListSectionProps) {
  return (
    <section className="cs-card" aria-labelledby={id}>
      <Title order={2} id={id}>
        {title}
      </Title>
      {text && (
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      )}
      {empty && (
        <Text size="sm" my="xs">
          {empty}
        </Text>
      )}
      {/* Also an empty list, whose dialog may be open when another person ends the last entry. */}
      <div hidden={empty !== null}>{children}</div>
      {action}
    </section>
  );
}
