// Declares a conflict of interest between a person and a company.
import { Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { DeclareConflictInput } from '../../graphql/generated/bounds';
import { FormDialog } from '../../ui/FormDialog';
import { DeclareConflict } from './admin.graphql';

interface ConflictDialogProps {
  /** The person with the conflict; null is the current user. */
  person: { id: string; name: string } | null;
  onDone: (counterparty: string) => void;
  onClose: () => void;
}

export function ConflictDialog({ person, onDone, onClose }: ConflictDialogProps) {
  const { t } = useTranslation();
  const [counterparty, setCounterparty] = useState('');
  const [reason, setReason] = useState('');
  const declare = useCommand(DeclareConflict, (data) => data.declareConflict);
  const missingInput =
    counterparty.trim() === ''
      ? t('admin.conflict.nameFirst')
      : reason.trim() === ''
        ? t('ui.reasonNeeded')
        : null;
  const send = async () => {
    const input = {
      personId: person?.id ?? null,
      counterparty: counterparty.trim(),
      reason: reason.trim(),
    };
    if (await declare.run(input)) onDone(input.counterparty);
  };
  return (
    <FormDialog
      title={t('admin.conflict.title')}
      disabledReason={missingInput}
      busy={declare.busy}
      refusals={declare.refusals}
      error={declare.error}
      confirmLabel={t('admin.conflict.confirm')}
      onSend={() => void send()}
      onClose={onClose}
    >
      <Text size="sm" className="cs-lines2">
        {person ? t('admin.conflict.forOther', { name: person.name }) : t('admin.conflict.forMe')}
      </Text>
      <TextInput
        data-autofocus
        required
        maxLength={DeclareConflictInput.counterparty}
        label={t('admin.conflict.counterparty')}
        description={t('admin.conflict.asOnDocuments')}
        value={counterparty}
        onChange={(event) => setCounterparty(event.currentTarget.value)}
      />
      <Textarea
        required
        autosize
        minRows={2}
        maxRows={8}
        maxLength={DeclareConflictInput.reason}
        label={t('admin.conflict.reason')}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
