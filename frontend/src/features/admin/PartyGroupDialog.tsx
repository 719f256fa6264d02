// Groups of companies: a conflict of interest with one company applies to its whole group.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { useCommand } from '../../graphql/command';
import { GroupPartyInput } from '../../graphql/generated/bounds';
import { ButtonWithReason } from '../../ui/buttons';
import { Notice, RefusalAlert } from '../../ui/states';
import { GroupParty, PartyGroup } from './people.graphql';

export function PartyGroupDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const client = useClient();
  const [name, setName] = useState('');
  const [partner, setPartner] = useState('');
  const [group, setGroup] = useState<{ of: string; names: readonly string[] } | null>(null);
  const [reason, setReason] = useState('');
  const [proposed, setProposed] = useState<'join' | 'leave' | null>(null);
  const [loading, setLoading] = useState(false);
  const [failure, setFailure] = useState<Parameters<typeof RefusalAlert>[0]['error']>(null);
  const command = useCommand(GroupParty, (data) => data.groupParty);
  const counterparty = name.trim();
  const disabledReason = counterparty === '' ? t('admin.group.nameFirst') : null;
  const loadGroup = async () => {
    if (disabledReason) return;
    setLoading(true);
    const request = client.query(PartyGroup, { counterparty }, { requestPolicy: 'network-only' });
    const { data, error } = await request.toPromise();
    setLoading(false);
    setFailure(error ?? null);
    if (data) setGroup({ of: counterparty, names: data.partyGroup });
  };
  const change = async (partnerName: string | null) => {
    const payload = await command.run({ counterparty, with: partnerName, reason: reason.trim() });
    if (!payload) return;
    setGroup({ of: counterparty, names: payload.group });
    setProposed(payload.proposal && (partnerName === null ? 'leave' : 'join'));
  };
  const members = group?.of === counterparty ? group.names : null;
  const ungrouped = members !== null && members.length < 2;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('admin.group.title')}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <Stack>
        <Text size="sm">{t('admin.group.text')}</Text>
        <TextInput
          data-autofocus
          maxLength={GroupPartyInput.counterparty}
          label={t('admin.conflict.counterparty')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ButtonWithReason
          disabledReason={disabledReason}
          variant="default"
          loading={loading}
          onClick={() => void loadGroup()}
        >
          {t('admin.group.look')}
        </ButtonWithReason>
        {members && (
          <Notice tone="calm" icon="people" live>
            {ungrouped
              ? t('admin.group.alone')
              : t('admin.group.names', { names: members.join(t('caseLabels.next.comma')) })}
          </Notice>
        )}
        <TextInput
          maxLength={GroupPartyInput.with}
          label={t('admin.group.partner')}
          value={partner}
          onChange={(event) => setPartner(event.currentTarget.value)}
        />
        <TextInput
          maxLength={GroupPartyInput.reason}
          label={t('admin.group.reason')}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {proposed && (
          <Notice tone="calm" icon="people" live>
            {t(proposed === 'join' ? 'admin.group.joinProposed' : 'admin.group.leaveProposed')}
          </Notice>
        )}
        <RefusalAlert refusals={command.refusals} error={command.error ?? failure} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('ui.close')}
          </Button>
          <ButtonWithReason
            disabledReason={
              members === null
                ? t('admin.group.lookFirst')
                : ungrouped
                  ? t('admin.group.alone')
                  : null
            }
            variant="default"
            loading={command.busy}
            onClick={() => void change(null)}
          >
            {t('admin.group.leave')}
          </ButtonWithReason>
          <ButtonWithReason
            disabledReason={
              disabledReason ?? (partner.trim() === '' ? t('admin.group.partnerFirst') : null)
            }
            loading={command.busy}
            onClick={() => void change(partner.trim())}
          >
            {t('admin.group.join')}
          </ButtonWithReason>
        </Group>
      </Stack>
    </Modal>
  );
}
