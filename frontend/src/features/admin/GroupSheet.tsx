// Companies that belong together: a conflict of interest with one is one with all.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { useCommand } from '../../graphql/command';
import { GroupPartyInput } from '../../graphql/generated/bounds';
import { ButtonWithReason } from '../../ui/buttons';
import { Notice, RefusalAlert } from '../../ui/states';
import { GroupTogether, PartyGroup } from './power.graphql';

export function GroupSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const client = useClient();
  const [name, setName] = useState('');
  const [partner, setPartner] = useState('');
  const [group, setGroup] = useState<{ of: string; names: readonly string[] } | null>(null);
  const [looking, setLooking] = useState(false);
  const [failure, setFailure] = useState<Parameters<typeof RefusalAlert>[0]['error']>(null);
  const command = useCommand(GroupTogether, (data) => data.groupParty);
  const wanted = name.trim();
  const why = wanted === '' ? t('admin.group.nameFirst') : null;
  const look = async () => {
    if (why) return;
    setLooking(true);
    const asked = client.query(
      PartyGroup,
      { counterparty: wanted },
      { requestPolicy: 'network-only' },
    );
    const { data, error } = await asked.toPromise();
    setLooking(false);
    setFailure(error ?? null);
    if (data) setGroup({ of: wanted, names: data.partyGroup });
  };
  const change = async (partnerName: string | null) => {
    const done = await command.run({ counterparty: wanted, with: partnerName });
    if (done) setGroup({ of: wanted, names: done.group });
  };
  const known = group?.of === wanted ? group.names : null;
  const alone = known !== null && known.length < 2;
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
          disabledReason={why}
          variant="default"
          loading={looking}
          onClick={() => void look()}
        >
          {t('admin.group.look')}
        </ButtonWithReason>
        {known && (
          <Notice tone="calm" icon="people" live>
            {alone
              ? t('admin.group.alone')
              : t('admin.group.names', { names: known.join(t('life.next.comma')) })}
          </Notice>
        )}
        <TextInput
          maxLength={GroupPartyInput.with}
          label={t('admin.group.partner')}
          value={partner}
          onChange={(event) => setPartner(event.currentTarget.value)}
        />
        <RefusalAlert refusals={command.refusals} error={command.error ?? failure} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('ui.close')}
          </Button>
          <ButtonWithReason
            disabledReason={
              known === null ? t('admin.group.lookFirst') : alone ? t('admin.group.alone') : null
            }
            variant="default"
            loading={command.busy}
            onClick={() => void change(null)}
          >
            {t('admin.group.leave')}
          </ButtonWithReason>
          <ButtonWithReason
            disabledReason={why ?? (partner.trim() === '' ? t('admin.group.partnerFirst') : null)}
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
