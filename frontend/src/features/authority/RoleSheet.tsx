// Makes a role of the house's own. It gives no right by itself.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { ReasonedButton } from '../../ui/buttons';
import { RefusalAlert } from '../../ui/states';
import { PutRole } from './authority.graphql';

export function RoleSheet({ onDone, onClose }: { onDone: (said: string) => void; onClose: () => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const command = useCommand(PutRole, (data) => data.putRole);
  const why = /^[a-z][a-z0-9_]*$/.test(name) ? null : t('authority.role.nameFirst');
  const send = async () => {
    if (why || command.busy) return;
    const done = await command.run({ name, description: description.trim() || null });
    if (done) onDone(t('authority.role.done', { name }));
  };
  return (
    <Modal opened onClose={onClose} title={t('authority.role.make')} closeButtonProps={{ 'aria-label': t('ui.close') }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Stack>
          <Text size="sm">{t('authority.role.text')}</Text>
          <TextInput
            data-autofocus
            required
            maxLength={60}
            label={t('authority.role.name')}
            description={t('authority.role.nameHint')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            maxLength={300}
            label={t('authority.role.description')}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <RefusalAlert refusals={command.refusals} error={command.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('ui.cancel')}
            </Button>
            <ReasonedButton because={why} loading={command.busy} onClick={() => void send()}>
              {t('authority.role.confirm')}
            </ReasonedButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
