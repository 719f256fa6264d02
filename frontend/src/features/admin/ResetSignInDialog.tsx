// Proposes a one-time link by which a person chooses another password.
import { Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { ResetSignInInput } from '../../graphql/generated/bounds';
import { FormDialog } from '../../ui/FormDialog';
import { ResetSignIn } from './people.graphql';

interface ResetSignInDialogProps {
  person: { id: string; name: string };
  onDone: (message: string) => void;
  onClose: () => void;
}

export function ResetSignInDialog({ person, onDone, onClose }: ResetSignInDialogProps) {
  const { t } = useTranslation();
  const [reason, setReason] = useState('');
  const command = useCommand(ResetSignIn, (data) => data.resetSignIn);
  const send = async () => {
    const payload = await command.run({ personId: person.id, reason: reason.trim() });
    if (payload) onDone(t('admin.reset.proposed', { name: person.name }));
  };
  return (
    <FormDialog
      title={t('admin.reset.title', { name: person.name })}
      disabledReason={reason.trim() === '' ? t('admin.reset.reasonFirst') : null}
      busy={command.busy}
      refusals={command.refusals}
      error={command.error}
      confirmLabel={t('admin.reset.confirm')}
      onSend={() => void send()}
      onClose={onClose}
    >
      <Text size="sm">{t('admin.reset.text', { name: person.name })}</Text>
      <Textarea
        data-autofocus
        required
        maxLength={ResetSignInInput.reason}
        label={t('admin.reset.reason')}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
