// Creates a custom role, or changes the description of one that another person has just created. A role grants nothing until the policy has rules for it.
import { Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { PutRoleInput } from '../../graphql/generated/bounds';
import type { Refusal } from '../../lib/refusals';
import { FormDialog } from '../../ui/FormDialog';
import { PutRole } from './authority.graphql';

const detailOf = (refusals: readonly Refusal[], wanted: string) =>
  refusals.flatMap(({ values }) => values ?? []).find(({ name }) => name === wanted)?.value;

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
  /** The role of this name that another person has made, with its description. */
  const [existing, setExisting] = useState<{ name: string; description: string } | null>(null);
  const known = existing?.name === name ? existing : null;
  const command = useCommand(PutRole, (data) => data.putRole);
  const disabledReason = /^[a-z][a-z0-9_]*$/.test(name) ? null : t('authority.role.nameFirst');
  const send = async () => {
    const payload = await command.run({
      name,
      description: description.trim() || null,
      expectedDescription: known?.description ?? null,
    });
    if (payload) onDone(t(known ? 'authority.role.changed' : 'authority.role.done', { name }));
  };
  const present = detailOf(command.refusals, 'present');
  const role = detailOf(command.refusals, 'role');
  useEffect(() => {
    if (role !== undefined && present !== undefined)
      setExisting({ name: role, description: present });
  }, [role, present]);
  return (
    <FormDialog
      title={t(known ? 'authority.role.change' : 'authority.role.make')}
      disabledReason={disabledReason}
      busy={command.busy}
      refusals={command.refusals}
      error={command.error}
      confirmLabel={t(known ? 'authority.role.replace' : 'authority.role.confirm')}
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
