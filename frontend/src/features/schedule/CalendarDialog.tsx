// Creates or changes a working calendar.
import { Group, Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { SetCalendarInput } from '../../graphql/generated/bounds';
import type { CalendarLineFragment } from '../../graphql/generated/graphql';
import { useFormValues } from '../../lib/use-form-values';
import { useStale } from '../../lib/use-stale';
import type { ChangeRehearsalProps } from '../../ui/change-rehearsal';
import { FormDialog } from '../../ui/FormDialog';
import { holidaysOf, hoursOf, hoursText, week, weekdayName } from './hours';
import { SetCalendar } from './schedule.graphql';

interface CalendarDialogProps {
  /** Null creates a new calendar. */
  existing: CalendarLineFragment | null;
  ChangeRehearsal: ComponentType<ChangeRehearsalProps>;
  /** Another person has changed it: read it again. */
  onStale: () => void;
  onDone: (name: string) => void;
  onClose: () => void;
}

/** The browser's time zones, and UTC, which not every browser lists. */
const zones = (): string[] => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

interface Values extends Record<number, string> {
  name: string;
  zone: string | null;
  holidayText: string;
}

const defaultHours = (weekday: number) => (weekday === 0 || weekday === 6 ? '' : '09:00-17:00');

export function CalendarDialog(props: CalendarDialogProps) {
  const { existing, ChangeRehearsal, onStale, onDone, onClose } = props;
  const { t, i18n } = useTranslation();
  const present: Values = {
    name: existing?.name ?? '',
    zone: existing?.zone ?? (Intl.DateTimeFormat().resolvedOptions().timeZone as string | null),
    ...(Object.fromEntries(
      week.map((day) => [day, existing ? hoursText(existing.hours, day) : defaultHours(day)]),
    ) as Record<number, string>),
    holidayText: (existing?.holidays ?? []).join('\n'),
  };
  const { values, set, changed } = useFormValues(present);
  const { name, zone, holidayText } = values;
  const labelOf = (key: string | number) =>
    key === 'name' || key === 'zone'
      ? t(`schedule.calendars.${key}`)
      : key === 'holidayText'
        ? t('schedule.calendars.holidays')
        : weekdayName(Number(key), i18n.language);
  const command = useCommand(SetCalendar, (data) => data.setCalendar);
  useStale(command.refusals, onStale);
  const hours = week.map((day) => hoursOf(values[day] ?? '', day));
  const invalidDay = week.find((_, index) => hours[index] === null);
  const holidays = holidaysOf(holidayText);
  const disabledReason =
    name.trim() === ''
      ? t('schedule.calendars.nameFirst')
      : !zone
        ? t('schedule.calendars.zoneFirst')
        : invalidDay !== undefined
          ? t('schedule.calendars.notHours', { day: weekdayName(invalidDay, i18n.language) })
          : hours.every((day) => day?.length === 0)
            ? t('schedule.calendars.noHours')
            : holidays === null
              ? t('schedule.calendars.notDays')
              : null;
  const calendar = zone && {
    name: name.trim(),
    zone,
    hours: hours.flatMap((day) => day ?? []),
    holidays,
  };
  const send = async () => {
    if (!calendar) return;
    const payload = await command.run({ ...calendar, expectedVersion: existing?.version ?? '0' });
    if (payload) onDone(name.trim());
  };
  return (
    <FormDialog
      title={
        existing
          ? t('schedule.calendars.changeOne', { name: existing.name })
          : t('schedule.calendars.make')
      }
      size="lg"
      disabledReason={disabledReason}
      busy={command.busy}
      refusals={command.refusals}
      error={command.error}
      changed={changed.map((key) => ({ label: labelOf(key), value: present[key] ?? '' }))}
      confirmLabel={t('schedule.save')}
      onSend={() => void send()}
      onClose={onClose}
      below={
        // A new calendar has no queues, so that it changes nothing.
        existing && (
          <ChangeRehearsal
            change={calendar && !disabledReason ? { calendar } : null}
            disabledReason={disabledReason}
          />
        )
      }
    >
      {!existing && (
        <TextInput
          data-autofocus
          required
          maxLength={SetCalendarInput.name}
          label={t('schedule.calendars.name')}
          placeholder={t('schedule.calendars.nameExample')}
          value={name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
      )}
      <Select
        required
        searchable
        limit={60}
        label={t('schedule.calendars.zone')}
        nothingFoundMessage={t('schedule.calendars.noZone')}
        value={zone}
        onChange={(next) => set({ zone: next })}
        data={zone && !zones().includes(zone) ? [zone, ...zones()] : zones()}
      />
      <fieldset style={{ border: 0, margin: 0, padding: 0 }}>
        <legend>{t('schedule.calendars.hours')}</legend>
        <Stack gap={6} mt={4}>
          {week.map((day, index) => (
            <Group key={day} gap="sm" wrap="nowrap">
              <label htmlFor={`hours-${day}`} style={{ flex: '0 0 7rem' }}>
                {weekdayName(day, i18n.language)}
              </label>
              <TextInput
                id={`hours-${day}`}
                style={{ flex: 1, minWidth: 0 }}
                placeholder={t('schedule.calendars.free')}
                error={hours[index] === null}
                value={values[day] ?? ''}
                onChange={(event) => set({ [day]: event.currentTarget.value })}
              />
            </Group>
          ))}
        </Stack>
      </fieldset>
      <Textarea
        autosize
        minRows={3}
        maxRows={10}
        label={t('schedule.calendars.holidays')}
        description={t('schedule.calendars.holidaysHint')}
        error={holidays === null}
        value={holidayText}
        onChange={(event) => set({ holidayText: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
