// The open and past proposals. A second administrator publishes a proposal.

import { Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDiscussion } from '../../graphql/discussion';
import {
  AddProposalCommentInput,
  PublishProposalInput,
  WithdrawProposalInput,
} from '../../graphql/generated/bounds';
import { isLost, useResend } from '../../graphql/resend';
import { newKey } from '../../lib/keys';
import { overdueOwners } from '../../lib/owners';
import { hasRole, usePerson } from '../../lib/session';
import { useHeld } from '../../lib/use-held';
import { whenOnline } from '../../lib/when-online';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import { UnresolvedComments } from '../../ui/discussion/Discussion';
import { Icon } from '../../ui/Icon';
import { Badge, type Tone } from '../../ui/StatusBadge';
import { LoadingState, RefusalAlert } from '../../ui/states';
import { TextDiff } from '../../ui/TextDiff';
import { PersonName, Timestamp } from '../../ui/values';
import { Cautions, cautionsOf } from './Cautions';
import { type Outcome, requiresConfirmation } from './commands';
import classes from './definitions.module.css';
import { OwnerReviews } from './OwnerReviews';
import { ProposalDiscussion } from './ProposalDiscussion';
import { type Proposal, publishObstacle } from './processes';
import { ReportList } from './ReportList';
import { type Kind, kindTexts, useVersionCommands } from './version-commands';

// With the parser of the text, which no other part of the page needs.
const ChangesDrawing = lazy(() => whenOnline(() => import('./design/ChangesDrawing')));
const RecordedRehearsals = lazy(() => whenOnline(() => import('./RecordedRehearsals')));
const ProposalRehearsal = lazy(() => whenOnline(() => import('./design/ProposalRehearsal')));
const TextRehearsal = lazy(() => whenOnline(() => import('./TextRehearsal')));
const ProcessChanges = lazy(() => whenOnline(() => import('./design/ProcessChanges')));
const RuleChanges = lazy(() => whenOnline(() => import('./rule-design/RuleChanges')));

interface ProposalsProps {
  kind: Kind;
  proposals: readonly Proposal[];
  /** The texts by version, to show the changes of a proposal. */
  texts: ReadonlyMap<number, string>;
  /** The id of the current user. */
  me: string | null;
  onChanged: () => void;
}

const statusTones: Record<Proposal['status'], Tone> = {
  PROPOSED: 'warn',
  PUBLISHED: 'good',
  WITHDRAWN: 'calm',
};

export function Proposals({ kind, proposals, texts, me, onChanged }: ProposalsProps) {
  const { t } = useTranslation();
  const { rows: open, hold } = useHeld(proposals.filter(({ status }) => status === 'PROPOSED'));
  if (proposals.length === 0) return null;
  const past = proposals.filter(({ status }) => status !== 'PROPOSED');
  return (
    <section className="cs-card" aria-labelledby="proposals">
      <Title order={2} id="proposals" mb="xs">
        {t('definitions.proposals.title')}
      </Title>
      {open.length === 0 && <Text c="dimmed">{t('definitions.proposals.none')}</Text>}
      <ul className={classes.proposals}>
        {open.map((one) => (
          <OpenProposal
            key={one.id}
            kind={kind}
            proposal={one}
            texts={texts}
            me={me}
            onHold={hold}
            onChanged={onChanged}
          />
        ))}
      </ul>
      {past.length > 0 && (
        <details className={classes.past}>
          <summary>{t('definitions.proposals.past', { count: past.length })}</summary>
          <ul className={classes.proposals}>
            {past.map((one) => (
              <li key={one.id}>
                <ProposalSummary one={one} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function ProposalSummary({ one: proposal }: { one: Proposal }) {
  const { t } = useTranslation();
  return (
    <div>
      <Group gap="xs">
        <Badge
          tone={statusTones[proposal.status]}
          icon={proposal.status === 'PUBLISHED' ? 'done' : 'pen'}
        >
          {t(`definitions.proposals.status.${proposal.status}`)}
        </Badge>
        <Text size="sm" fw={600} span>
          {proposal.restores
            ? t('definitions.proposals.restores', {
                version: proposal.nextVersion,
                earlier: proposal.restores,
              })
            : t('definitions.version', { version: proposal.nextVersion })}
        </Text>
        <Text size="xs" c="dimmed" span>
          <PersonName person={proposal.proposedBy} /> ·{' '}
          <Timestamp iso={proposal.proposedAt} as="moment" />
        </Text>
      </Group>
      {proposal.note && <Text size="sm">{proposal.note}</Text>}
      {proposal.decidedAt && (
        <Text size="xs" c="dimmed">
          {t(`definitions.proposals.status.${proposal.status}`)} ·{' '}
          <PersonName person={proposal.decidedBy} /> ·{' '}
          <Timestamp iso={proposal.decidedAt} as="moment" />
          {proposal.reason && ` · ${proposal.reason}`}
        </Text>
      )}
    </div>
  );
}

/** Whether the proposal needs the approval of the person. */
const isOwner = ({ ownerReviews }: Proposal, me: string | null) =>
  me !== null && ownerReviews.some(({ owners }) => owners.some(({ person }) => person?.id === me));

interface OpenProposalProps extends Omit<ProposalsProps, 'proposals'> {
  proposal: Proposal;
  /** Keeps the proposal in the list while its dialog is open. */
  onHold: (proposal: Proposal | null) => void;
}

function OpenProposal({ kind, proposal, texts, me, onHold, onChanged }: OpenProposalProps) {
  const { t } = useTranslation();
  const person = usePerson();
  const mayDecide = hasRole(person, 'administrator');
  const commands = useVersionCommands(kind);
  const discussion = useDiscussion(proposal.id);
  const [confirming, setConfirming] = useState<'publish' | 'withdraw' | null>(null);
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const resend = useResend();
  const key = useRef(newKey());
  const { editor } = kindTexts[kind];
  const obstacle = publishObstacle(proposal, me);
  const baseText = texts.get(proposal.baseVersion);
  const overdue = overdueOwners(proposal, Date.now());
  const understaffed = proposal.report.understaffed.length > 0;
  const { warnings } = proposal.report;
  const needsConfirmation =
    requiresConfirmation(outcome) || understaffed || cautionsOf(warnings).length > 0;
  const ask = (about: 'publish' | 'withdraw') => {
    setConfirming(about);
    onHold(proposal);
  };
  const close = () => {
    setConfirming(null);
    setOutcome(null);
    onHold(null);
  };
  const send = async (reason: string) => {
    setBusy(true);
    const command = {
      proposalId: proposal.id,
      expectedVersion: proposal.version,
      idempotencyKey: key.current,
    };
    const result =
      confirming === 'withdraw'
        ? await commands.withdraw({ ...command, reason })
        : await commands.publish({
            ...command,
            expectedEffect: null, // of a policy only
            confirm: Boolean(needsConfirmation),
            unresolved: discussion.unresolved.map(({ id }) => id),
            withoutOwners: reason,
          });
    setBusy(false);
    setOutcome(result);
    if (result.refusals.length > 0) key.current = newKey();
    if (result.done) close();
    if (!result.error) onChanged();
    return isLost(result.error);
  };
  return (
    <li>
      <ProposalSummary one={proposal} />
      <ReportList kind={kind} report={proposal.report} nodes={[]} />
      {kind === 'process' && (
        <details className={classes.past}>
          <summary>{t('definitions.look.drawing')}</summary>
          <Suspense fallback={<LoadingState lines={6} />}>
            <ChangesDrawing
              before={baseText}
              after={proposal.document}
              label={t('definitions.proposals.drawing', { version: proposal.nextVersion })}
            />
          </Suspense>
        </details>
      )}
      {baseText !== undefined && (
        <>
          <Text size="sm" mt="xs">
            {t('definitions.proposals.changes', { version: proposal.baseVersion })}
          </Text>
          {kind !== 'types' && (
            <Suspense fallback={<LoadingState lines={3} />}>
              {kind === 'rules' ? (
                <RuleChanges before={baseText} after={proposal.document} />
              ) : (
                <ProcessChanges before={baseText} after={proposal.document} />
              )}
            </Suspense>
          )}
          <TextDiff
            before={baseText}
            after={proposal.document}
            label={t('definitions.proposals.difference')}
          />
        </>
      )}
      <details className={classes.past}>
        <summary>{t('definitions.look.text')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable */}
        <section className={classes.text} tabIndex={0} aria-label={t('definitions.look.text')}>
          <pre>{proposal.document}</pre>
        </section>
      </details>
      {kind !== 'types' && (mayDecide || isOwner(proposal, me)) && (
        <details className={classes.past}>
          <summary>{t('rehearsal.title')}</summary>
          <Suspense fallback={<LoadingState lines={4} />}>
            {kind === 'process' ? (
              <ProposalRehearsal
                proposalId={proposal.id}
                processKey={proposal.key}
                text={proposal.document}
                ready={proposal.report.sound}
              />
            ) : (
              <TextRehearsal
                proposalId={proposal.id}
                kind={kind}
                text={proposal.document}
                ready={proposal.report.sound}
              />
            )}
          </Suspense>
        </details>
      )}
      {kind !== 'types' && (
        <Suspense fallback={null}>
          <RecordedRehearsals proposal={proposal} kind={kind} />
        </Suspense>
      )}
      <OwnerReviews
        proposalId={proposal.id}
        sha256={proposal.sha256}
        reviews={proposal.ownerReviews}
        onChanged={onChanged}
      />
      <ProposalDiscussion
        {...discussion}
        kind={kind}
        about={proposal.key}
        subject={`${kind}.${proposal.key}`}
        maxLength={AddProposalCommentInput.text}
      />
      {mayDecide && (
        <Group gap="xs" mt="xs">
          <ButtonWithReason
            disabledReason={obstacle && t(`definitions.proposals.obstacle.${obstacle}`)}
            onClick={() => ask('publish')}
            leftSection={<Icon name="check" size={16} />}
          >
            {t('definitions.proposals.publish')}
          </ButtonWithReason>
          <ButtonWithReason disabledReason={null} variant="default" onClick={() => ask('withdraw')}>
            {t('definitions.proposals.withdraw')}
          </ButtonWithReason>
          {editor && (
            <Link to={editor} params={{ key: proposal.key }} search={{ proposal: proposal.id }}>
              {t('definitions.proposals.change')}
            </Link>
          )}
        </Group>
      )}
      <ConfirmDialog
        opened={confirming !== null}
        title={t(
          confirming === 'withdraw' ? 'definitions.withdraw.title' : 'definitions.publish.title',
          {
            version: proposal.nextVersion,
          },
        )}
        confirmLabel={t(
          confirming === 'withdraw'
            ? 'definitions.proposals.withdraw'
            : 'definitions.proposals.publish',
        )}
        busy={busy}
        {...(confirming === 'withdraw' && {
          danger: true,
          reason: {
            label: t('definitions.withdraw.reason'),
            required: true,
            maxLength: WithdrawProposalInput.reason,
          },
        })}
        {...(confirming === 'publish' &&
          overdue && {
            reason: {
              label: t('owners.withoutReason'),
              required: true,
              maxLength: PublishProposalInput.withoutOwners,
            },
          })}
        onConfirm={(reason) => void resend(() => send(reason))}
        onClose={close}
      >
        {confirming === 'publish' && <p>{t(kindTexts[kind].publish)}</p>}
        {confirming === 'publish' && kind !== 'types' && (
          <Suspense fallback={null}>
            <RecordedRehearsals proposal={proposal} kind={kind} brief />
          </Suspense>
        )}
        {confirming === 'publish' && overdue && <p>{t('owners.without')}</p>}
        {confirming === 'publish' && understaffed && <p>{t('definitions.publish.understaffed')}</p>}
        {confirming === 'publish' && <UnresolvedComments comments={discussion.unresolved} />}
        {confirming === 'publish' && <Cautions warnings={warnings} />}
        {outcome && !outcome.done && (
          <RefusalAlert refusals={outcome.refusals} error={outcome.error} />
        )}
      </ConfirmDialog>
    </li>
  );
}
