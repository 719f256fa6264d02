// An open policy proposal: its changes, and publishing or withdrawing it.
import { Group, Text } from '@mantine/core';
import { type ComponentType, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { useDiscussion } from '../../graphql/discussion';
import { AddProposalCommentInput, WithdrawProposalInput } from '../../graphql/generated/bounds';
import type { PolicyProposalFragment } from '../../graphql/generated/graphql';
import type { Refusal } from '../../lib/refusals';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import { Discussion, UnresolvedComments } from '../../ui/discussion/Discussion';
import type { PolicyRehearsalsProps } from '../../ui/policy-rehearsals';
import { Badge } from '../../ui/StatusBadge';
import { RefusalAlert } from '../../ui/states';
import { TextDiff } from '../../ui/TextDiff';
import { PersonName, Timestamp } from '../../ui/values';
import { PublishPolicy, WithdrawPolicy } from './authority.graphql';
import { PolicyEffect } from './PolicyEffect';
import { usePolicyPreview } from './use-policy-preview';

/** Whether the refusal says that the proposal was withdrawn or published. */
const endsProposal = ({ values }: Refusal) =>
  values?.some(
    ({ name, value }) => name === 'currentVersion' && /^(withdrawn|published)$/.test(value),
  );

interface ProposalItemProps {
  proposal: PolicyProposalFragment;
  /** The text of the version it is based on. */
  before: string | null;
  me: string | null;
  administers: boolean;
  Rehearsals: ComponentType<PolicyRehearsalsProps>;
  /** Keeps the proposal in the list while its dialog is open. */
  onHold: (proposal: PolicyProposalFragment | null) => void;
  onChanged: () => void;
}

export function ProposalItem(props: ProposalItemProps) {
  const { proposal, before, me, administers, Rehearsals, onHold, onChanged } = props;
  const { t } = useTranslation();
  // Only administrators see the effect, so only they ask for it.
  const { preview, failed, again } = usePolicyPreview(administers ? proposal.document : '');
  const rehearsals = { proposalId: proposal.id, text: proposal.document, rehearses: administers };
  const [confirming, setConfirming] = useState<'publish' | 'withdraw' | null>(null);
  const discussion = useDiscussion(proposal.id);
  const publish = useCommand(PublishPolicy, (data) => data.publishPolicy);
  const withdraw = useCommand(WithdrawPolicy, (data) => data.withdrawPolicy);
  const needsConfirmation = publish.refusals.some(({ code }) => code === 'ConfirmationNeeded');
  const command = confirming === 'withdraw' ? withdraw : publish;
  // What it changes is another thing now: the dialog closes, so that the effect is read again.
  // If the proposal itself has ended, the dialog stays open and says who ended it.
  const outdated = publish.refusals.some(
    (refusal) => refusal.code === 'StaleVersion' && !endsProposal(refusal),
  );
  const send = async (reason: string) => {
    const target = { proposalId: proposal.id, expectedVersion: proposal.version };
    const payload =
      confirming === 'withdraw'
        ? await withdraw.run({ ...target, reason })
        : await publish.run({
            ...target,
            confirm: needsConfirmation,
            expectedEffect: preview?.effect || null,
            unresolved: discussion.unresolved.map(({ id }) => id),
          });
    if (!payload) {
      again(); // the effect may have changed
      onChanged(); // the proposal may have ended
      return;
    }
    close();
    onChanged();
  };
  const close = () => {
    setConfirming(null);
    onHold(null);
  };
  // A refusal that asks for a confirmation is shown; pressing again confirms.
  const openConfirm = (action: 'publish' | 'withdraw') => {
    publish.clear();
    withdraw.clear();
    setConfirming(action);
    onHold(proposal);
  };
  return (
    <li>
      <Group gap="xs">
        <Badge tone="warn" icon="pen">
          {t('authority.policy.proposed')}
        </Badge>
        <Text size="sm" fw={600} span>
          {proposal.restores
            ? t('authority.policy.restores', {
                version: proposal.nextVersion,
                earlier: proposal.restores,
              })
            : t('authority.policy.one', { version: proposal.nextVersion })}
        </Text>
        <Text size="xs" c="dimmed" span>
          <PersonName person={proposal.proposedBy} /> ·{' '}
          <Timestamp iso={proposal.proposedAt} as="moment" />
        </Text>
      </Group>
      {proposal.note && <Text size="sm">{proposal.note}</Text>}
      {before !== null && (
        <TextDiff
          before={before}
          after={proposal.document}
          label={t('authority.policy.proposedDifference', { version: proposal.nextVersion })}
        />
      )}
      {administers && <PolicyEffect preview={preview} failed={failed} />}
      {outdated && <RefusalAlert refusals={publish.refusals} error={null} />}
      <Rehearsals {...rehearsals} />
      <Discussion {...discussion} subject="policy" maxLength={AddProposalCommentInput.text} />
      {administers && (
        <Group gap="xs" mt="xs">
          <ButtonWithReason
            disabledReason={
              proposal.proposedBy?.id === me
                ? t('authority.policy.second')
                : preview || failed
                  ? null
                  : t('authority.effect.loading')
            }
            onClick={() => openConfirm('publish')}
          >
            {t('authority.policy.publish')}
          </ButtonWithReason>
          <ButtonWithReason
            disabledReason={null}
            variant="default"
            onClick={() => openConfirm('withdraw')}
          >
            {t('authority.policy.withdraw')}
          </ButtonWithReason>
        </Group>
      )}
      <ConfirmDialog
        opened={confirming !== null && !outdated}
        title={t(
          confirming === 'withdraw'
            ? 'authority.policy.withdrawTitle'
            : 'authority.policy.publishTitle',
        )}
        confirmLabel={t(
          confirming === 'withdraw' ? 'authority.policy.withdraw' : 'authority.policy.publish',
        )}
        busy={command.busy}
        {...(confirming === 'withdraw' && {
          reason: {
            label: t('authority.policy.why'),
            required: true,
            maxLength: WithdrawProposalInput.reason,
          },
        })}
        onConfirm={(reason) => void send(reason)}
        onClose={close}
      >
        {confirming === 'publish' && t('authority.policy.publishText')}
        {confirming === 'publish' && <Rehearsals {...rehearsals} brief />}
        {confirming === 'publish' && <UnresolvedComments comments={discussion.unresolved} />}
        <RefusalAlert refusals={command.refusals} error={command.error} />
      </ConfirmDialog>
    </li>
  );
}
