// Changes how one queue works.
import { Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { SetQueueAssignmentInput } from '../../graphql/generated/bounds';
import type { QueueLineFragment } from '../../graphql/generated/graphql';
import { FormDialog } from '../../ui/FormSheet';
import { SetQueue } from './schedule.graphql';

type Strategy = QueueLineFragment['strategy'];

const strategies: Strategy[] = ['PULL', 'ROUND_ROBIN', 'LEAST_LOADED', 'SKILL'];

interface QueueSheetProps {
  before: QueueLineFragment;
  calendars: readonly string[];
  queues: readonly string[];
  onDone: (name: string) => void;
  onClose: () => void;
}

/** A whole number up to the bound; null for what is none. */
function wholeOf(text: string, most: number): number | null {
  const value = text.trim() === '' ? 0 : Number(text);
  return Number.isInteger(value) && value >= 0 && value <= most ? value : null;
}

export function QueueSheet({ before, calendars, queues, onDone, onClose }: QueueSheetProps) {
  const { t } = useTranslation();
  const isNew = before.queue === '';
  const [name, setName] = useState(before.queue);
  const [strategy, setStrategy] = useState<Strategy>(before.strategy);
  const [cap, setCap] = useState(before.cap === 0 ? '' : String(before.cap));
  const [calendar, setCalendar] = useState(before.calendar ?? '');
  const [after, setAfter] = useState(before.handAfter === 0 ? '' : String(before.handAfter));
  const [handTo, setHandTo] = useState(before.handTo ?? '');
  const command = useCommand(SetQueue, (data) => data.setQueueAssignment);
  const [most, times] = [wholeOf(cap, 100_000), wholeOf(after, 100)];
  const why =
    name.trim() === ''
      ? t('schedule.queues.nameFirst')
      : most === null || times === null
        ? t('schedule.queues.wholeNumbers')
        : times > 0 !== (handTo !== '')
          ? t('schedule.queues.bothOrNone')
          : null;
  const send = async () => {
    const done = await command.run({
      queue: name.trim(),
      strategy,
      cap: most,
      calendar: calendar || null,
      handAfter: times,
      handTo: handTo || null,
      expectedVersion: before.version,
    });
    if (done) onDone(name.trim());
  };
  return (
    <FormDialog
      title={
        isNew
          ? t('schedule.queues.another')
          : t('schedule.queues.changeOne', { name: before.queue })
      }
      disabledReason={why}
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
        value={cap}
        onChange={(event) => setCap(event.currentTarget.value)}
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
          label={t('schedule.queues.handAfter')}
          value={after}
          onChange={(event) => setAfter(event.currentTarget.value)}
        />
        <NativeSelect
          label={t('schedule.queues.handTo')}
          value={handTo}
          onChange={(event) => setHandTo(event.currentTarget.value)}
          data={[
            { value: '', label: t('ui.none') },
            ...queues.filter((one) => one !== name).map((one) => ({ value: one, label: one })),
          ]}
        />
      </Group>
      <Text size="xs" c="dimmed">
        {t('schedule.queues.handHint')}
      </Text>
    </FormDialog>
  );
}
