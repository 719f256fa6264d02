// The delegations and absences of the user, and for managers and administrators those of others.
import { Button, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { DelegationLineFragment } from '../../graphql/generated/graphql';
import { hasRole, usePerson } from '../../lib/session';
import { ErrorState, LoadingState, Notice, PageHeader } from '../../ui/states';
import { DelegationDialog } from './DelegationDialog';
import { EverybodyAway, EverythingLent, StandingIn } from './delegations.graphql';
import { AbsenceList, DelegationList } from './Lists';
import { OutOfOfficeDialog } from './OutOfOfficeDialog';

type DialogName = 'lend' | 'lendOther' | 'away' | 'awayOther';

interface PageNotice {
  text: string;
  warning: string | null;
}

export function DelegationsPage() {
  const { t } = useTranslation();
  const person = usePerson();
  const administers = hasRole(person, 'administrator');
  const managesWork = administers || hasRole(person, 'manager');
  const [{ data, error }, refetchOwn] = useQuery({
    query: StandingIn,
    requestPolicy: 'cache-and-network',
  });
  const [allDelegations, refetchAll] = useQuery({
    query: EverythingLent,
    variables: { first: 100 },
    pause: !administers,
    requestPolicy: 'cache-and-network',
  });
  const [absences, refetchAbsences] = useQuery({
    query: EverybodyAway,
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
  const done = (text: string, uncoveredReviews = 0) => {
    setNotice({
      text,
      warning:
        uncoveredReviews > 0 ? t('delegations.withNobody', { count: uncoveredReviews }) : null,
    });
    setDialog(null);
    reload();
  };
  const delegatedMessage = (delegation: DelegationLineFragment) =>
    t('delegations.lend.done', {
      giver: delegation.giver?.name ?? '',
      taker: delegation.taker?.name ?? '',
    });
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
      <PageHeader title={t('delegations.title')}>{t('delegations.intro')}</PageHeader>
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
              id="lent"
              title={t('delegations.lend.heading')}
              text={t('delegations.lend.explained')}
              action={
                isReviewer && (
                  <Button variant="default" size="sm" onClick={() => setDialog('lend')}>
                    {t('delegations.lend.open')}
                  </Button>
                )
              }
              empty={viewer.delegations.length === 0 ? t('delegations.lend.none') : null}
            >
              <DelegationList
                label={t('delegations.lend.heading')}
                delegations={viewer.delegations}
                onEnded={done}
              />
            </ListSection>
          )}
          {(isReviewer || viewer.absences.length > 0) && (
            <ListSection
              id="away"
              title={t('delegations.away.heading')}
              text={t('delegations.away.explained')}
              action={
                isReviewer && (
                  <Button variant="default" size="sm" onClick={() => setDialog('away')}>
                    {t('delegations.away.open')}
                  </Button>
                )
              }
              empty={viewer.absences.length === 0 ? t('delegations.away.none') : null}
            >
              <AbsenceList
                label={t('delegations.away.heading')}
                absences={viewer.absences}
                onEnded={done}
              />
            </ListSection>
          )}
          {administers && (
            <ListSection
              id="all-lent"
              title={t('delegations.all.lent')}
              action={
                <Button variant="default" size="sm" onClick={() => setDialog('lendOther')}>
                  {t('delegations.all.lend')}
                </Button>
              }
              empty={
                allDelegations.data && allDelegations.data.delegations.nodes.length === 0
                  ? t('delegations.all.noneLent')
                  : null
              }
            >
              {!allDelegations.data && !allDelegations.error && <LoadingState lines={3} />}
              <DelegationList
                label={t('delegations.all.lent')}
                delegations={allDelegations.data?.delegations.nodes ?? []}
                onEnded={done}
              />
            </ListSection>
          )}
          {managesWork && (
            <ListSection
              id="all-away"
              title={t('delegations.all.away')}
              action={
                <Button variant="default" size="sm" onClick={() => setDialog('awayOther')}>
                  {t('delegations.all.setAway')}
                </Button>
              }
              empty={
                absences.data && absences.data.absences.length === 0
                  ? t('delegations.all.noneAway')
                  : null
              }
            >
              {!absences.data && !absences.error && <LoadingState lines={3} />}
              <AbsenceList
                label={t('delegations.all.away')}
                absences={absences.data?.absences ?? []}
                onEnded={done}
              />
            </ListSection>
          )}
        </Stack>
      )}
      {me && (dialog === 'lend' || dialog === 'lendOther') && (
        <DelegationDialog
          delegators={dialog === 'lend' ? [{ ...me, queues: person?.queues ?? [] }] : delegators}
          candidates={colleagues}
          types={types}
          onClose={() => setDialog(null)}
          onDone={(delegation, uncovered) => done(delegatedMessage(delegation), uncovered)}
        />
      )}
      {(dialog === 'away' || dialog === 'awayOther') && (
        <OutOfOfficeDialog
          people={dialog === 'away' ? null : colleagues}
          colleagues={colleagues}
          onClose={() => setDialog(null)}
          onDone={(one, uncovered) =>
            done(t('delegations.away.done', { name: one.person?.name ?? '' }), uncovered)
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
      {empty ? (
        <Text size="sm" my="xs">
          {empty}
        </Text>
      ) : (
        children
      )}
      {action}
    </section>
  );
}
