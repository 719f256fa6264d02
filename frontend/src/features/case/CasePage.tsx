// One case: what happens next, what happened, what is known, and what can be done.
import { Button, Group, Text } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery } from 'urql';
import { AbandonCaseInput } from '../../graphql/generated/bounds';
import { appended, type CaseEventLine, useCaseEvents } from '../../graphql/live';
import { lifeOf } from '../../lib/document-life';
import { newKey } from '../../lib/keys';
import { nextWords } from '../../lib/next';
import { repairStateOf } from '../../lib/repair-state';
import { hasRole, reviewerRoles, usePerson } from '../../lib/session';
import { ConfirmSheet } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { LifeLine } from '../../ui/LifeLine';
import { StatusBadge, type Tone } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState, Notice, PageHeader } from '../../ui/states';
import { MoneyText, When } from '../../ui/values';
import { AnswerPanel } from './AnswerPanel';
import { CaseFull } from './case.graphql';
import classes from './case.module.css';
import { giveUp, type Outcome } from './commands';
import { ChainState, Decisions, Documents, Fields, Findings } from './Facts';
import { IncidentPanel, Refused, type WholeCase } from './IncidentPanel';
import { ProcessDrawing } from './ProcessDrawing';
import { Timeline } from './Timeline';

export function CasePage() {
  const { t } = useTranslation();
  const { id } = useParams({ from: '/inside/cases/$id' });
  const [{ data, error, fetching }, again] = useQuery({
    query: CaseFull,
    variables: { id },
    requestPolicy: 'cache-and-network',
  });
  const reread = () => again({ requestPolicy: 'network-only' });
  const one = data?.case;
  const heard = useCaseEvents(id, one?.lastEvents.at(-1)?.cursor, reread);
  const events = useMemo(() => heard.reduce(appended, one?.lastEvents ?? []), [heard, one?.lastEvents]);
  if (one) return <Whole key={one.id} one={one} events={events} onChanged={reread} />;
  if (fetching && !error) return <LoadingState lines={12} />;
  return (
    <>
      <PageHeader title={t('case.title')} />
      {error ? (
        <ErrorState error={error} onRetry={reread} />
      ) : (
        <EmptyState icon="search" title={t('case.gone.title')} action={<Link to="/cases">{t('case.gone.list')}</Link>}>
          {t('case.gone.text')}
        </EmptyState>
      )}
    </>
  );
}

interface WholeProps {
  one: WholeCase;
  events: CaseEventLine[];
  onChanged: () => void;
}

function Whole({ one, events, onChanged }: WholeProps) {
  const life = useMemo(() => lifeOf(events, one.status), [events, one.status]);
  const repair = useMemo(() => repairStateOf(events), [events]);
  // An incident that was there when the page was opened, or came since, is followed to its end.
  const seen = useRef(false);
  const troubled = one.status === 'INCIDENT' || repair === 'repairing' || repair === 'open';
  useEffect(() => {
    if (troubled) seen.current = true;
  }, [troubled]);
  const question = useMemo(() => questionOf(events), [events]);
  return (
    <>
      <Head one={one} onChanged={onChanged} />
      <div className={classes.stack}>
        <NextSentence one={one} />
        <div className="cs-card">
          <LifeLine life={life} />
          {one.chain && <ProcessDrawing one={one} events={events} />}
        </div>
        {(troubled || seen.current) && <IncidentPanel one={one} repair={repair} onChanged={onChanged} />}
        {one.status === 'RETURNED' && <AnswerPanel one={one} question={question} onChanged={onChanged} />}
        <div className={classes.columns}>
          <div className={classes.stack}>
            <Fields one={one} />
            {one.chain && <Findings one={one} />}
            <Documents one={one} />
          </div>
          <div className={classes.stack}>
            <Timeline events={events} />
            <Decisions one={one} />
            <ChainState one={one} />
          </div>
        </div>
      </div>
    </>
  );
}

/** What the reviewer asked when the case was returned last. */
function questionOf(events: readonly CaseEventLine[]): string | null {
  const returned = events.findLast((event) => event.type === 'case.returned');
  const reason = (returned?.body as { reason?: unknown } | null | undefined)?.reason;
  return typeof reason === 'string' ? reason : null;
}

function Head({ one, onChanged }: { one: WholeCase; onChanged: () => void }) {
  const { t } = useTranslation();
  const person = usePerson();
  const trail = hasRole(person, 'auditor', 'manager');
  return (
    <PageHeader
      title={one.reference}
      actions={
        <>
          {one.mayAbandon.allowed && one.status !== 'INCIDENT' && <GiveUpButton one={one} onChanged={onChanged} />}
          {trail && (
            <Link to="/audit/$caseId" params={{ caseId: one.id }}>
              {t('case.audit')}
            </Link>
          )}
        </>
      }
    >
      <Group gap="xs" mt={4}>
        <StatusBadge status={one.status} />
        <Text size="sm" span className={`cs-lines2 ${classes.party}`} title={one.counterparty}>
          {one.counterparty || t('case.noParty')}
        </Text>
        <Text size="sm" span fw={600} c="var(--mantine-color-text)">
          <MoneyText money={one.amount} />
        </Text>
        {one.risk !== null && (
          <Text size="sm" span>
            {t('case.risk', { risk: one.risk })}
          </Text>
        )}
        <Text size="sm" span>
          {one.submitter && t('case.from', { name: one.submitter.name })} <When iso={one.createdAt} as="moment" />
        </Text>
      </Group>
    </PageHeader>
  );
}

const tones: Record<string, Tone> = {
  RETRY: 'warn',
  RESUBMIT: 'warn',
  INCIDENT: 'warn',
  FINISHED: 'calm',
  STAGE: 'busy',
};

function NextSentence({ one }: { one: WholeCase }) {
  const { t } = useTranslation();
  const person = usePerson();
  const staff = hasRole(person, ...reviewerRoles, 'auditor');
  const { next } = one;
  return (
    <Notice
      tone={next.late ? 'bad' : (tones[next.kind] ?? 'calm')}
      icon={next.kind === 'FINISHED' ? 'done' : 'right'}
      live
    >
      <Text fw={600} component="p" m={0}>
        {nextWords(t, next, !staff)}{' '}
        {next.by && (
          <>
            {next.kind === 'RETRY' ? t('life.next.again') : next.late ? t('life.next.late') : t('life.next.by')}{' '}
            <When iso={next.by} />
          </>
        )}
      </Text>
      {staff && next.who.length > 0 && (
        <Text size="sm" component="p" m={0}>
          {t('life.next.who')} {next.who.map((who) => who.name).join(t('life.next.comma'))}
        </Text>
      )}
      {next.reviewId && staff && (
        <Link to="/reviews/$id" params={{ id: next.reviewId }}>
          {t('case.openReview')}
        </Link>
      )}
    </Notice>
  );
}

function GiveUpButton({ one, onChanged }: { one: WholeCase; onChanged: () => void }) {
  const { t } = useTranslation();
  const client = useClient();
  const [opened, setOpened] = useState(false);
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>(null);
  const key = useRef(newKey());
  const send = async (reason: string) => {
    setBusy(true);
    const result = await giveUp(
      client,
      { caseId: one.id, expectedVersion: one.version, idempotencyKey: key.current },
      reason,
    );
    setBusy(false);
    setOutcome(result);
    if (result === null) setOpened(false);
    if (result && 'refusals' in result) key.current = newKey();
    onChanged();
  };
  return (
    <>
      <Button variant="default" leftSection={<Icon name="cross" size={16} />} onClick={() => setOpened(true)}>
        {t('case.ways.ABANDON')}
      </Button>
      <ConfirmSheet
        opened={opened}
        title={t('case.giveUp.title')}
        confirmLabel={t('case.giveUp.send')}
        danger
        busy={busy}
        reason={{ label: t('case.giveUp.reason'), needed: true, most: AbandonCaseInput.reason }}
        onConfirm={(reason) => void send(reason)}
        onClose={() => setOpened(false)}
      >
        {t('case.giveUp.text')}
        {outcome && (
          <Refused
            refusals={'refusals' in outcome ? outcome.refusals : []}
            failure={'failure' in outcome ? outcome.failure : null}
          />
        )}
      </ConfirmSheet>
    </>
  );
}
