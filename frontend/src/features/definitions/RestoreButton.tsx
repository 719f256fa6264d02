// Proposes an earlier version as the newest; a second administrator publishes it.
import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { newKey } from '../../lib/keys';
import { ConfirmSheet } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { RefusalAlert } from '../../ui/states';
import { type Outcome, outcomeOf } from './commands';
import { RestoreDefinition } from './definitions.graphql';

interface RestoreButtonProps {
  definition: { key: string; version: number };
  onChanged: () => void;
}

export function RestoreButton({ definition, onChanged }: RestoreButtonProps) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [{ fetching }, restore] = useMutation(RestoreDefinition);
  const key = useRef(newKey());
  const { version } = definition;
  const send = async (note: string) => {
    const input = { key: definition.key, definitionVersion: version, idempotencyKey: key.current };
    const result = outcomeOf(await restore({ input: { ...input, ...(note !== '' && { note }) } }));
    setOutcome(result);
    if (!result.error) key.current = newKey();
    if (!result.done) return;
    setOpened(false);
    onChanged();
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
      <ConfirmSheet
        opened={opened}
        title={t('definitions.restore.title', { version })}
        confirmLabel={t('definitions.restore.send')}
        busy={fetching}
        reason={{ label: t('definitions.edit.note'), needed: false }}
        onConfirm={(note) => void send(note)}
        onClose={() => setOpened(false)}
      >
        {t('definitions.restore.text')}
        {outcome && !outcome.done && <RefusalAlert refusals={outcome.refusals} error={outcome.error} />}
      </ConfirmSheet>
    </>
  );
}
