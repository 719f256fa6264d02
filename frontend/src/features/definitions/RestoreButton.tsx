// Proposes an earlier version as the next one; a second administrator publishes it.
import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RestoreDefinitionInput } from '../../graphql/generated/bounds';
import { isLost, useResend } from '../../graphql/resend';
import { newKey } from '../../lib/keys';
import { ConfirmDialog } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { RefusalAlert } from '../../ui/states';
import type { Outcome } from './commands';
import { type Kind, kindTexts, useVersionCommands } from './version-commands';

interface RestoreButtonProps {
  kind: Kind;
  definition: { key: string; version: number };
  /** The version that is in force on the page. */
  newest: number;
  onChanged: () => void;
}

export function RestoreButton({ kind, definition, newest, onChanged }: RestoreButtonProps) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [busy, setBusy] = useState(false);
  const commands = useVersionCommands(kind);
  const resend = useResend();
  const key = useRef(newKey());
  const { version } = definition;
  const send = async (note: string) => {
    const input = {
      key: definition.key,
      definitionVersion: version,
      expectedVersion: String(newest),
      idempotencyKey: key.current,
    };
    setBusy(true);
    const result = await commands.restore({ ...input, ...(note !== '' && { note }) });
    setBusy(false);
    setOutcome(result);
    if (!result.error) {
      key.current = newKey();
      onChanged();
    }
    if (result.done) setOpened(false);
    return isLost(result.error);
  };
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        mt={4}
        leftSection={<Icon name="back" size={15} />}
        onClick={() => setOpened(true)}
      >
        {t('definitions.restore.button')}
      </Button>
      <ConfirmDialog
        opened={opened}
        title={t('definitions.restore.title', { version })}
        confirmLabel={t('definitions.restore.send')}
        busy={busy}
        reason={{
          label: t('definitions.edit.note'),
          required: false,
          maxLength: RestoreDefinitionInput.note,
        }}
        onConfirm={(note) => void resend(() => send(note))}
        onClose={() => setOpened(false)}
      >
        {t(kindTexts[kind].restore)}
        {outcome && !outcome.done && (
          <RefusalAlert refusals={outcome.refusals} error={outcome.error} />
        )}
      </ConfirmDialog>
    </>
  );
}
