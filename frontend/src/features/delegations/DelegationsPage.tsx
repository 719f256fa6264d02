// Who acts in whose name, and who is away: one's own, and for those who direct work everybody's.
import { Button, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { DelegationLineFragment } from '../../graphql/generated/graphql';
import { hasRole, usePerson } from '../../lib/session';
import { ErrorState, LoadingState, Notice, PageHeader } from '../../ui/states';
import { AwaySheet } from './AwaySheet';
import { EverybodyAway, EverythingLent, StandingIn } from './delegations.graphql';
import { LendSheet } from './LendSheet';
import { AwayList, LentList } from './Lists';

type Sheet = 'lend' | 'lendOther' | 'away' | 'awayOther';

interface Said {
  text: string;
  warning: string | null;
}

export function DelegationsPage() {
  const { t } = useTranslation();
  const person = usePerson();
  const administers = hasRole(person, 'administrator');
  const directs = administers || hasRole(person, 'manager');
  const [{ data, error }, readOwn] = useQuery({
    query: StandingIn,
    requestPolicy: 'cache-and-network',
  });
  const [all, readAll] = useQuery({
    query: EverythingLent,
    variables: { first: 100 },
    pause: !administers,
    requestPolicy: 'cache-and-network',
  });
  const [away, readAway] = useQuery({
    query: EverybodyAway,
    pause: !directs,
    requestPolicy: 'cache-and-network',
  });
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const [said, setSaid] = useState<Said | null>(null);
  const reread = () => {
    readOwn({ requestPolicy: 'network-only' });
    if (administers) readAll({ requestPolicy: 'network-only' });
    if (directs) readAway({ requestPolicy: 'network-only' });
  };
  const done = (text: string, withNobody = 0) => {
    setSaid({
      text,
      warning: withNobody > 0 ? t('delegations.withNobody', { count: withNobody }) : null,
    });
    setSheet(null);
    reread();
  };
  const lentWords = (lent: DelegationLineFragment) =>
    t('delegations.lend.done', { giver: lent.giver?.name ?? '', taker: lent.taker?.name ?? '' });
  const viewer = data?.viewer;
  const me = viewer?.person;
  const colleagues = data?.colleagues ?? [];
  const decides = (person?.queues.length ?? 0) > 0;
  const types = [
    ...new Set(
      (data?.processDefinitions.nodes ?? []).flatMap(({ documentTypes }) => documentTypes),
    ),
  ];
  const givers = (all.data?.people ?? []).filter((one) => !one.disabled && one.queues.length > 0);
  const failure = error ?? all.error ?? away.error;
  return (
    <>
      <PageHeader title={t('delegations.title')}>{t('delegations.intro')}</PageHeader>
      {said && (
        <Stack gap="xs" mb="md">
          <Notice tone="good" icon="done" live>
            {said.text}
          </Notice>
          {said.warning && (
            <Notice tone="warn" icon="alert" live>
              {said.warning}
            </Notice>
          )}
        </Stack>
      )}
      {failure && !data && <ErrorState error={failure} onRetry={reread} />}
      {!failure && !data && <LoadingState lines={8} />}
      {viewer && me && (
        <Stack gap="lg">
          {(decides || viewer.delegations.length > 0) && (
            <Part
              id="lent"
              title={t('delegations.lend.heading')}
              text={t('delegations.lend.explained')}
              action={
                decides && (
                  <Button variant="default" size="sm" onClick={() => setSheet('lend')}>
                    {t('delegations.lend.open')}
                  </Button>
                )
              }
              empty={viewer.delegations.length === 0 ? t('delegations.lend.none') : null}
            >
              <LentList
                label={t('delegations.lend.heading')}
                lent={viewer.delegations}
                onEnded={done}
              />
            </Part>
          )}
          {(decides || viewer.absences.length > 0) && (
            <Part
              id="away"
              title={t('delegations.away.heading')}
              text={t('delegations.away.explained')}
              action={
                decides && (
                  <Button variant="default" size="sm" onClick={() => setSheet('away')}>
                    {t('delegations.away.open')}
                  </Button>
                )
              }
              empty={viewer.absences.length === 0 ? t('delegations.away.none') : null}
            >
              <AwayList
                label={t('delegations.away.heading')}
                away={viewer.absences}
                onEnded={done}
              />
            </Part>
          )}
          {administers && (
            <Part
              id="all-lent"
              title={t('delegations.all.lent')}
              action={
                <Button variant="default" size="sm" onClick={() => setSheet('lendOther')}>
                  {t('delegations.all.lend')}
                </Button>
              }
              empty={
                all.data && all.data.delegations.nodes.length === 0
                  ? t('delegations.all.noneLent')
                  : null
              }
            >
              {!all.data && !all.error && <LoadingState lines={3} />}
              <LentList
                label={t('delegations.all.lent')}
                lent={all.data?.delegations.nodes ?? []}
                onEnded={done}
              />
            </Part>
          )}
          {directs && (
            <Part
              id="all-away"
              title={t('delegations.all.away')}
              action={
                <Button variant="default" size="sm" onClick={() => setSheet('awayOther')}>
                  {t('delegations.all.setAway')}
                </Button>
              }
              empty={
                away.data && away.data.absences.length === 0 ? t('delegations.all.noneAway') : null
              }
            >
              {!away.data && !away.error && <LoadingState lines={3} />}
              <AwayList
                label={t('delegations.all.away')}
                away={away.data?.absences ?? []}
                onEnded={done}
              />
            </Part>
          )}
        </Stack>
      )}
      {me && (sheet === 'lend' || sheet === 'lendOther') && (
        <LendSheet
          givers={sheet === 'lend' ? [{ ...me, queues: person?.queues ?? [] }] : givers}
          takers={colleagues}
          types={types}
          onClose={() => setSheet(null)}
          onDone={(lent, nobody) => done(lentWords(lent), nobody)}
        />
      )}
      {(sheet === 'away' || sheet === 'awayOther') && (
        <AwaySheet
          people={sheet === 'away' ? null : colleagues}
          colleagues={colleagues}
          onClose={() => setSheet(null)}
          onDone={(one, nobody) =>
            done(t('delegations.away.done', { name: one.person?.name ?? '' }), nobody)
          }
        />
      )}
    </>
  );
}

interface PartProps {
  id: string;
  title: string;
  text?: string;
  action?: ReactNode;
  /** What is said instead of the list when it is empty. */
  empty: string | null;
  children: ReactNode;
}

function Part({ id, title, text, action, empty, children }: PartProps) {
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
