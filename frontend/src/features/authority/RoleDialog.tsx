// Creates a custom role. A role grants nothing until the policy has rules for it.
import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { PutRoleInput } from '../../graphql/generated/bounds';
import { FormDialog } from '../../ui/FormDialog';
import { PutRole } from './authority.graphql';

export function RoleDialog({
  onDone,
  onClose,
}: {
  onDone: (message: string) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const command = useCommand(PutRole, (data) => data.putRole);
  const disabledReason = /^[a-z][a-z0-9_]*$/.test(name) ? null : t('authority.role.nameFirst');
  const send = async () => {
    const payload = await command.run({ name, description: description.trim() || null });
    if (payload) onDone(t('authority.role.done', { name }));
  };
  return (
    <FormDialog
      title={t('authority.role.make')}
      disabledReason={disabledReason}
      busy={command.busy}
      refusals={command.refusals}
      error={command.error}
      confirmLabel={t('authority.role.confirm')}
      onSend={() => void send()}
      onClose={onClose}
    >
      <Text size="sm">{t('authority.role.text')}</Text>
      <TextInput
        data-autofocus
        required
        maxLength={PutRoleInput.name}
        label={t('authority.role.name')}
        description={t('authority.role.nameHint')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        maxLength={PutRoleInput.description}
        label={t('authority.role.description')}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
