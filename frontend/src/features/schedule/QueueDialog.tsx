// Changes the settings of a queue.
import { Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { SetQueueAssignmentInput } from '../../graphql/generated/bounds';
import type { QueueLineFragment } from '../../graphql/generated/graphql';
import { FormDialog } from '../../ui/FormDialog';
import { SetQueueAssignment } from './schedule.graphql';

type Strategy = QueueLineFragment['strategy'];

const strategies: Strategy[] = ['PULL', 'ROUND_ROBIN', 'LEAST_LOADED', 'SKILL'];

interface QueueDialogProps {
  existing: QueueLineFragment;
  calendars: readonly string[];
  queues: readonly string[];
  onDone: (name: string) => void;
  onClose: () => void;
}

/** A whole number up to `max`; null if invalid. */
function wholeNumberOf(text: string, max: number): number | null {
  const value = text.trim() === '' ? 0 : Number(text);
  return Number.isInteger(value) && value >= 0 && value <= max ? value : null;
}

export function QueueDialog({ existing, calendars, queues, onDone, onClose }: QueueDialogProps) {
  const { t } = useTranslation();
  const isNew = existing.queue === '';
  const [name, setName] = useState(existing.queue);
  const [strategy, setStrategy] = useState<Strategy>(existing.strategy);
  const [capText, setCapText] = useState(existing.cap === 0 ? '' : String(existing.cap));
  const [calendar, setCalendar] = useState(existing.calendar ?? '');
  const [moveAfterText, setMoveAfterText] = useState(
    existing.moveAfterMissedClaims === 0 ? '' : String(existing.moveAfterMissedClaims),
  );
  const [moveTo, setMoveTo] = useState(existing.moveToQueue ?? '');
  const command = useCommand(SetQueueAssignment, (data) => data.setQueueAssignment);
  const [capacity, moveAfter] = [
    wholeNumberOf(capText, 100_000),
    wholeNumberOf(moveAfterText, 100),
  ];
  const disabledReason =
    name.trim() === ''
      ? t('schedule.queues.nameFirst')
      : capacity === null || moveAfter === null
        ? t('schedule.queues.wholeNumbers')
        : moveAfter > 0 !== (moveTo !== '')
          ? t('schedule.queues.bothOrNone')
          : null;
  const send = async () => {
    const payload = await command.run({
      queue: name.trim(),
      strategy,
      cap: capacity,
      calendar: calendar || null,
      moveAfterMissedClaims: moveAfter,
      moveToQueue: moveTo || null,
      expectedVersion: existing.version,
    });
    if (payload) onDone(name.trim());
  };
  return (
    <FormDialog
      title={
        isNew
          ? t('schedule.queues.another')
          : t('schedule.queues.changeOne', { name: existing.queue })
      }
      disabledReason={disabledReason}
      busy={command.busy}
      refusals={command.refusals}
      error={command.error}
      confirmLabel={t('schedule.save')}
      onSend={() => void send()}
      onClose={onClose}
    >
      {isNew && (
        <TextInput
          data-autofocus
          required
          maxLength={SetQueueAssignmentInput.queue}
          label={t('schedule.queues.name')}
          description={t('schedule.queues.nameHint')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      <NativeSelect
        label={t('schedule.queues.strategy')}
        description={t(`schedule.strategyHint.${strategy}`)}
        value={strategy}
        onChange={(event) => setStrategy(event.currentTarget.value as Strategy)}
        data={strategies.map((one) => ({ value: one, label: t(`schedule.strategy.${one}`) }))}
      />
      <TextInput
        inputMode="numeric"
        label={t('schedule.queues.cap')}
        description={t('schedule.queues.capHint')}
        value={capText}
        onChange={(event) => setCapText(event.currentTarget.value)}
      />
      <NativeSelect
        label={t('schedule.queues.calendar')}
        value={calendar}
        onChange={(event) => setCalendar(event.currentTarget.value)}
        data={[
          { value: '', label: t('schedule.queues.wholeTime') },
          ...calendars.map((one) => ({ value: one, label: one })),
        ]}
      />
      <Group grow align="flex-end" gap="sm">
        <TextInput
          inputMode="numeric"
          label={t('schedule.queues.moveAfter')}
          value={moveAfterText}
          onChange={(event) => setMoveAfterText(event.currentTarget.value)}
        />
        <NativeSelect
          label={t('schedule.queues.moveTo')}
          value={moveTo}
          onChange={(event) => setMoveTo(event.currentTarget.value)}
          data={[
            { value: '', label: t('ui.none') },
            ...queues.filter((one) => one !== name).map((one) => ({ value: one, label: one })),
          ]}
        />
      </Group>
      <Text size="xs" c="dimmed">
        {t('schedule.queues.moveHint')}
      </Text>
    </FormDialog>
  );
}
