// One proposal of rules: what it changes, and its end, by a second administrator or by being withdrawn.
import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { WithdrawProposalInput } from '../../graphql/generated/bounds';
import type { PolicyProposalFragment } from '../../graphql/generated/graphql';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import { Badge } from '../../ui/StatusBadge';
import { RefusalAlert } from '../../ui/states';
import { TextDiff } from '../../ui/TextDiff';
import { PersonName, Timestamp } from '../../ui/values';
import { PublishPolicy, WithdrawPolicy } from './authority.graphql';

interface OneProposalProps {
  one: PolicyProposalFragment;
  /** The text it was made from. */
  before: string | null;
  me: string | null;
  administers: boolean;
  onChanged: () => void;
}

export function OneProposal({ one, before, me, administers, onChanged }: OneProposalProps) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<'publish' | 'withdraw' | null>(null);
  const publish = useCommand(PublishPolicy, (data) => data.publishPolicy);
  const withdraw = useCommand(WithdrawPolicy, (data) => data.withdrawPolicy);
  const command = asked === 'withdraw' ? withdraw : publish;
  const send = async (reason: string) => {
    const of = { proposalId: one.id, expectedVersion: one.version };
    const done =
      asked === 'withdraw'
        ? await withdraw.run({ ...of, reason })
        : await publish.run({ ...of, confirm: false });
    if (!done) return;
    setAsked(null);
    onChanged();
  };
  const open = (what: 'publish' | 'withdraw') => {
    publish.clear();
    withdraw.clear();
    setAsked(what);
  };
  return (
    <li>
      <Group gap="xs">
        <Badge tone="warn" icon="pen">
          {t('authority.policy.proposed')}
        </Badge>
        <Text size="sm" fw={600} span>
          {one.restores
            ? t('authority.policy.restores', { version: one.nextVersion, earlier: one.restores })
            : t('authority.policy.one', { version: one.nextVersion })}
        </Text>
        <Text size="xs" c="dimmed" span>
          <PersonName person={one.proposedBy} /> · <Timestamp iso={one.proposedAt} as="moment" />
        </Text>
      </Group>
      {one.note && <Text size="sm">{one.note}</Text>}
      {before !== null && (
        <TextDiff before={before} after={one.document} label={t('authority.policy.difference')} />
      )}
      {administers && (
        <Group gap="xs" mt="xs">
          <ButtonWithReason
            disabledReason={one.proposedBy?.id === me ? t('authority.policy.second') : null}
            onClick={() => open('publish')}
          >
            {t('authority.policy.publish')}
          </ButtonWithReason>
          <ButtonWithReason
            disabledReason={null}
            variant="default"
            onClick={() => open('withdraw')}
          >
            {t('authority.policy.withdraw')}
          </ButtonWithReason>
        </Group>
      )}
      <ConfirmDialog
        opened={asked !== null}
        title={t(
          asked === 'withdraw' ? 'authority.policy.withdrawTitle' : 'authority.policy.publishTitle',
        )}
        confirmLabel={t(
          asked === 'withdraw' ? 'authority.policy.withdraw' : 'authority.policy.publish',
        )}
        busy={command.busy}
        {...(asked === 'withdraw' && {
          reason: {
            label: t('authority.policy.why'),
            required: true,
            maxLength: WithdrawProposalInput.reason,
          },
        })}
        onConfirm={(reason) => void send(reason)}
        onClose={() => setAsked(null)}
      >
        {asked === 'publish' && t('authority.policy.publishText')}
        <RefusalAlert refusals={command.refusals} error={command.error} />
      </ConfirmDialog>
    </li>
  );
}
