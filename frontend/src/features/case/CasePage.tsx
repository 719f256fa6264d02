// The page of a case: next step, history, data and commands.
import { Button, Group, Text } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery } from 'urql';
import { AbandonCaseInput, AddNoteInput } from '../../graphql/generated/bounds';
import { appended, type CaseEventLine, useCaseEvents } from '../../graphql/live';
import { useModelRuns } from '../../graphql/model-runs';
import { useNotes } from '../../graphql/notes';
import { useResend } from '../../graphql/resend';
import { useSupportingReadings } from '../../graphql/supporting-readings';
import { reviewOfStep } from '../../lib/deadline';
import { documentStatusOf } from '../../lib/document-status';
import { addFieldLabels } from '../../lib/field-labels';
import { newKey } from '../../lib/keys';
import { nextStepMessage } from '../../lib/next-step';
import { usePageSubject } from '../../lib/page-subject';
import { isReference } from '../../lib/reference';
import { failureOf, isUnreadable } from '../../lib/refusals';
import { repairStateOf } from '../../lib/repair-state';
import { hasRole, reviewerRoles, usePerson } from '../../lib/session';
import { StatedAttributes } from '../../ui/attributes/StatedAttributes';
import { ConfirmDialog } from '../../ui/buttons';
import { CaseAmount } from '../../ui/CaseAmount';
import { UncertainMark } from '../../ui/Counterparty';
import { Icon } from '../../ui/Icon';
import { WithLastChange } from '../../ui/LastChange';
import { ModelPanel } from '../../ui/model/ModelPanel';
import { NotesPanel } from '../../ui/notes/NotesPanel';
import { Correction } from '../../ui/order/Correction';
import { FileParts } from '../../ui/parts/FileParts';
import { StatusBadge, type Tone } from '../../ui/StatusBadge';
import {
  EmptyState,
  ErrorState,
  LoadingState,
  Notice,
  PageHeader,
  RefusalAlert,
} from '../../ui/states';
import { SupportingDocuments } from '../../ui/supporting/SupportingDocuments';
import { ReviewDeadline, Timestamp } from '../../ui/values';
import { AnswerPanel } from './AnswerPanel';
import { CaseDownloads } from './CaseDownloads';
import { CaseLife } from './CaseLife';
import { CaseOrder } from './CaseOrder';
import { ChainState, Decisions, Documents, Findings } from './CaseSections';
import { CaseValues } from './CaseValues';
import { CorrectButton } from './CorrectButton';
import { CaseFull } from './case.graphql';
import classes from './case.module.css';
import { abandonCase, isLost, type Outcome } from './commands';
import { DocumentPages } from './DocumentPages';
import { FoundWords } from './FoundWords';
import { type CaseData, IncidentPanel } from './IncidentPanel';
import { ParallelReviews } from './ParallelReviews';
import { ErasureNotice, Retention } from './Retention';
import { Timeline } from './Timeline';
import { VendorDocuments } from './VendorDocuments';

export function CasePage() {
  const { t } = useTranslation();
  const { id } = useParams({ from: '/signed-in/cases/$id' });
  const [{ data, error, fetching }, refetch] = useQuery({
    query: CaseFull,
    variables: isReference(id) ? { reference: id } : { id },
    requestPolicy: 'cache-and-network',
  });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  const unreadable = isUnreadable(error, 'case');
  const caseData = useLastRead(id, unreadable ? null : data ? (data.case ?? null) : undefined);
  const caseId = isReference(id) ? (caseData?.id ?? null) : id;
  const liveEvents = useCaseEvents(caseId, caseData?.lastEvents.at(-1)?.cursor, reload);
  const events = useMemo(
    () => liveEvents.reduce(appended, caseData?.lastEvents ?? []),
    [liveEvents, caseData?.lastEvents],
  );
  if (caseData)
    return <CaseView key={caseData.id} caseData={caseData} events={events} onChanged={reload} />;
  if (fetching && !error) return <LoadingState lines={12} />;
  return (
    <>
      <PageHeader title={t('titles.case')} />
      {error && failureOf(error).code !== 'InvalidInput' ? (
        <ErrorState error={error} onRetry={reload} />
      ) : (
        <EmptyState
          icon="search"
          title={t('case.gone.title')}
          action={<Link to="/cases">{t('case.gone.list')}</Link>}
        >
          {t('case.gone.text')}
        </EmptyState>
      )}
    </>
  );
}

/** What was read last of the case: an attempt to read it again that fails takes nothing from the page. */
function useLastRead(id: string, read: CaseData | null | undefined): CaseData | null | undefined {
  const last = useRef<{ id: string; read: CaseData | null | undefined }>({ id, read });
  if (last.current.id !== id || read !== undefined) last.current = { id, read };
  return last.current.read;
}

interface CaseViewProps {
  caseData: CaseData;
  events: CaseEventLine[];
  onChanged: () => void;
}

function CaseView({ caseData, events, onChanged }: CaseViewProps) {
  usePageSubject(caseData.reference);
  const status = useMemo(
    () => documentStatusOf(events, caseData.status),
    [events, caseData.status],
  );
  const repairState = useMemo(() => repairStateOf(events), [events]);
  // Keep the panel of an incident until it is resolved, also after the status has changed.
  const incidentShown = useRef(false);
  const hasIncident =
    caseData.status === 'INCIDENT' || repairState === 'repairing' || repairState === 'open';
  useEffect(() => {
    if (hasIncident) incidentShown.current = true;
  }, [hasIncident]);
  // Keep what was typed as an answer when the document was resubmitted in another session.
  const answerShown = useRef(false);
  if (caseData.status === 'RETURNED') answerShown.current = true;
  const question = useMemo(() => questionOf(events), [events]);
  const returnedAt = events.findLast(({ type }) => type === 'case.returned')?.at ?? null;
  const model = useModelRuns(caseData.id, caseData.version);
  const notes = useNotes(caseData.id);
  const supporting = useSupportingReadings(caseData.id);
  const { i18n } = useTranslation();
  useMemo(() => addFieldLabels(i18n, caseData.fieldForm), [i18n, caseData.fieldForm]);
  return (
    <WithLastChange events={events}>
      <CaseHeader caseData={caseData} onChanged={onChanged} />
      <div className={classes.stack}>
        <ErasureNotice caseData={caseData} />
        <FoundWords caseData={caseData} />
        <NextStepNotice caseData={caseData} />
        <CaseLife caseData={caseData} events={events} status={status} />
        {(hasIncident || incidentShown.current) && (
          <IncidentPanel caseData={caseData} repairState={repairState} onChanged={onChanged} />
        )}
        {answerShown.current && (
          <AnswerPanel
            caseData={caseData}
            question={question}
            returnedAt={returnedAt}
            onChanged={onChanged}
          />
        )}
        <div className={classes.columns}>
          <div className={classes.stack}>
            <Correction links={caseData} />
            <FileParts links={caseData} />
            <CaseOrder caseData={caseData} onChanged={onChanged} />
            <StatedAttributes attributes={caseData.attributes} />
            {!caseData.erasure && (
              <>
                {(caseData.chain || caseData.risk !== null) && <Findings caseData={caseData} />}
                <CaseValues caseData={caseData} />
                <Documents caseData={caseData} />
                <SupportingDocuments documents={caseData.supportingDocuments} viewer={supporting} />
              </>
            )}
            <ModelPanel {...model} />
          </div>
          <div className={classes.stack}>
            {!caseData.erasure && <DocumentPages caseData={caseData} />}
            <NotesPanel {...notes} maxLength={AddNoteInput.text} />
            <Timeline events={events} findings={caseData.findings} />
            <Decisions caseData={caseData} />
            <ChainState caseData={caseData} />
            {!caseData.erasure && <VendorDocuments caseData={caseData} />}
            <Retention caseData={caseData} onChanged={onChanged} />
          </div>
        </div>
      </div>
    </WithLastChange>
  );
}

/** The reviewer's text of the last return. */
function questionOf(events: readonly CaseEventLine[]): string | null {
  const returned = events.findLast((event) => event.type === 'case.returned');
  const reason = (returned?.body as { reason?: unknown } | null | undefined)?.reason;
  return typeof reason === 'string' ? reason : null;
}

function CaseHeader({ caseData, onChanged }: { caseData: CaseData; onChanged: () => void }) {
  const { t } = useTranslation();
  const person = usePerson();
  const mayReadTrail = hasRole(person, 'auditor', 'manager');
  return (
    <PageHeader
      title={caseData.reference}
      actions={
        <>
          {caseData.mayAbandon.allowed && caseData.status !== 'INCIDENT' && (
            <AbandonButton caseData={caseData} onChanged={onChanged} />
          )}
          <CorrectButton caseData={caseData} />
          <CaseDownloads caseData={caseData} />
          {mayReadTrail && (
            <Link to="/audit/$caseId" params={{ caseId: caseData.reference }}>
              {t('case.audit')}
            </Link>
          )}
        </>
      }
    >
      <Group gap="xs" mt={4}>
        <StatusBadge status={caseData.status} />
        <Text size="sm" span className={`cs-lines2 ${classes.party}`} title={caseData.counterparty}>
          {caseData.counterparty || t('case.noParty')} <UncertainMark of={caseData} />
        </Text>
        <Text size="sm" span fw={600} c="var(--mantine-color-text)">
          <CaseAmount amounts={caseData} />
        </Text>
        {caseData.risk !== null && (
          <Text size="sm" span>
            {caseData.assessed
              ? t('case.risk', { risk: caseData.risk })
              : t('caseLabels.notAssessed')}
          </Text>
        )}
        <Text size="sm" span>
          {caseData.submitter && t('case.from', { name: caseData.submitter.name })}{' '}
          <Timestamp iso={caseData.createdAt} as="moment" />
        </Text>
      </Group>
    </PageHeader>
  );
}

const stepTones: Record<string, Tone> = {
  RETRY: 'warn',
  RESUBMIT: 'warn',
  INCIDENT: 'warn',
  FINISHED: 'calm',
  STAGE: 'busy',
};

function NextStepNotice({ caseData }: { caseData: CaseData }) {
  const { t } = useTranslation();
  const person = usePerson();
  const staff = hasRole(person, ...reviewerRoles, 'auditor');
  const { next } = caseData;
  const review = next.late
    ? null
    : reviewOfStep(next, caseData.reviews.find(({ id }) => id === next.reviewId)?.endsAt);
  return (
    <Notice
      tone={next.late ? 'bad' : (stepTones[next.kind] ?? 'calm')}
      icon={next.kind === 'FINISHED' ? 'done' : 'right'}
      live
    >
      <Text fw={600} component="p" m={0}>
        {nextStepMessage(t, next, !staff)} {review && <ReviewDeadline review={review} />}
        {next.by && !review && (
          <>
            {next.kind === 'RETRY'
              ? t('caseLabels.next.again')
              : next.late
                ? t('caseLabels.next.late')
                : t('caseLabels.next.by')}{' '}
            <Timestamp iso={next.by} />
          </>
        )}
      </Text>
      {staff && next.who.length > 0 && (
        <Text size="sm" component="p" m={0}>
          {t('caseLabels.next.who')}{' '}
          {next.who.map((who) => who.name).join(t('caseLabels.next.comma'))}
        </Text>
      )}
      {next.reviewId && staff && (
        <Link to="/reviews/$id" params={{ id: next.reviewId }} data-page-action="">
          {t('case.openReview')}
        </Link>
      )}
      {staff && <ParallelReviews caseData={caseData} />}
    </Notice>
  );
}

function AbandonButton({ caseData, onChanged }: { caseData: CaseData; onChanged: () => void }) {
  const { t } = useTranslation();
  const client = useClient();
  const [opened, setOpened] = useState(false);
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>(null);
  const resend = useResend();
  const key = useRef(newKey());
  const send = async (reason: string) => {
    setBusy(true);
    const result = await abandonCase(
      client,
      {
        caseId: caseData.id,
        expectedVersion: caseData.version,
        expectedStatus: caseData.status,
        idempotencyKey: key.current,
      },
      reason,
    );
    setBusy(false);
    setOutcome(result);
    if (result === null) setOpened(false);
    if (result && 'refusals' in result) key.current = newKey();
    onChanged();
    return isLost(result);
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="cross" size={16} />}
        onClick={() => setOpened(true)}
      >
        {t('case.ways.ABANDON')}
      </Button>
      <ConfirmDialog
        opened={opened}
        title={t('case.abandon.title')}
        confirmLabel={t('case.abandon.send')}
        danger
        busy={busy}
        reason={{
          label: t('case.abandon.reason'),
          required: true,
          maxLength: AbandonCaseInput.reason,
        }}
        onConfirm={(reason) => void resend(() => send(reason))}
        onClose={() => setOpened(false)}
      >
        {t('case.abandon.text')}
        {outcome && <RefusalAlert {...outcome} />}
      </ConfirmDialog>
    </>
  );
}
