// Changes the settings of a queue.
import { Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { SetQueueAssignmentInput } from '../../graphql/generated/bounds';
import type { QueueLineFragment } from '../../graphql/generated/graphql';
import { useFormValues } from '../../lib/use-form-values';
import { useStale } from '../../lib/use-stale';
import { FormDialog } from '../../ui/FormDialog';
import { SetQueueAssignment } from './schedule.graphql';

type Strategy = QueueLineFragment['strategy'];

const strategies: Strategy[] = ['PULL', 'ROUND_ROBIN', 'LEAST_LOADED', 'SKILL'];

interface QueueDialogProps {
  existing: QueueLineFragment;
  calendars: readonly string[];
  queues: readonly string[];
  /** Another person has changed it: read it again. */
  onStale: () => void;
  onDone: (name: string) => void;
  onClose: () => void;
}

/** A whole number up to `max`; null if invalid. */
function wholeNumberOf(text: string, max: number): number | null {
  const value = text.trim() === '' ? 0 : Number(text);
  return Number.isInteger(value) && value >= 0 && value <= max ? value : null;
}

export function QueueDialog({
  existing,
  calendars,
  queues,
  onStale,
  onDone,
  onClose,
}: QueueDialogProps) {
  const { t } = useTranslation();
  const isNew = existing.queue === '';
  const { values, set, changed } = useFormValues({
    name: existing.queue,
    strategy: existing.strategy as Strategy,
    capText: existing.cap === 0 ? '' : String(existing.cap),
    calendar: existing.calendar ?? '',
    moveAfterText:
      existing.moveAfterMissedClaims === 0 ? '' : String(existing.moveAfterMissedClaims),
    moveTo: existing.moveToQueue ?? '',
  });
  const { name, strategy, capText, calendar, moveAfterText, moveTo } = values;
  const labels = {
    name: t('schedule.queues.name'),
    strategy: t('schedule.queues.strategy'),
    capText: t('schedule.queues.cap'),
    calendar: t('schedule.queues.calendar'),
    moveAfterText: t('schedule.queues.moveAfter'),
    moveTo: t('schedule.queues.moveTo'),
  };
  const presentText = {
    name: existing.queue,
    strategy: t(`schedule.strategy.${existing.strategy}`),
    capText: existing.cap === 0 ? '' : String(existing.cap),
    calendar: existing.calendar ?? t('schedule.queues.wholeTime'),
    moveAfterText: String(existing.moveAfterMissedClaims),
    moveTo: existing.moveToQueue ?? '',
  };
  const command = useCommand(SetQueueAssignment, (data) => data.setQueueAssignment);
  useStale(command.refusals, onStale);
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
      changed={changed.map((key) => ({ label: labels[key], value: presentText[key] }))}
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
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
      )}
      <NativeSelect
        label={t('schedule.queues.strategy')}
        description={t(`schedule.strategyHint.${strategy}`)}
        value={strategy}
        onChange={(event) => set({ strategy: event.currentTarget.value as Strategy })}
        data={strategies.map((one) => ({ value: one, label: t(`schedule.strategy.${one}`) }))}
      />
      <TextInput
        inputMode="numeric"
        label={t('schedule.queues.cap')}
        description={t('schedule.queues.capHint')}
        value={capText}
        onChange={(event) => set({ capText: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('schedule.queues.calendar')}
        value={calendar}
        onChange={(event) => set({ calendar: event.currentTarget.value })}
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
          onChange={(event) => set({ moveAfterText: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('schedule.queues.moveTo')}
          value={moveTo}
          onChange={(event) => set({ moveTo: event.currentTarget.value })}
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
