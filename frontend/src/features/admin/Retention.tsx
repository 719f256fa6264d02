// How long ended cases are kept before their personal data may be erased, and the form to change it.
import { Group, NumberInput, Select, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { SetRetentionInput } from '../../graphql/generated/bounds';
import type { ControlDataQuery } from '../../graphql/generated/graphql';
import { useStale } from '../../lib/use-stale';
import { ButtonWithReason } from '../../ui/buttons';
import { RefusalAlert } from '../../ui/states';
import { PersonName, Timestamp } from '../../ui/values';
import classes from './admin.module.css';
import { useOutcome } from './ControlForms';
import { SetRetention } from './controls.graphql';

interface RetentionProps {
  periods: ControlDataQuery['retentionPeriods'];
  types: ControlDataQuery['documentTypes']['nodes'];
  administers: boolean;
  onChanged: (message: string) => void;
  /** Another person has changed a value: the page reads all of them. */
  onStale: () => void;
}

export function Retention({ periods, types, administers, onChanged, onStale }: RetentionProps) {
  const { t } = useTranslation();
  const now = Date.now();
  const shown = periods.filter(
    (one) => one.inForce || (one.validFrom && Date.parse(one.validFrom) > now),
  );
  return (
    <>
      <Title order={2} size="h4" mt="lg" mb="xs">
        {t('admin.controls.retention')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('admin.controls.retentionText')}
      </Text>
      {administers && (
        <PeriodForm types={types} periods={shown} onChanged={onChanged} onStale={onStale} />
      )}
      <ul className={`cs-card ${classes.list}`} aria-label={t('admin.controls.retention')}>
        {shown.map((one) => (
          <li key={`${one.documentType} ${one.validFrom}`} className={classes.item}>
            <div className={classes.long}>
              <Text size="sm">
                <b>{one.documentType || t('admin.controls.allTypes')}</b> ·{' '}
                {t('admin.controls.retentionIs', { days: one.days })}
                {!one.inForce && one.validFrom && (
                  <>
                    {' '}
                    {t('admin.controls.retentionFrom')}{' '}
                    <Timestamp iso={one.validFrom} as="moment" />
                  </>
                )}
              </Text>
              {one.setBy ? (
                <>
                  <Text size="sm">{one.reason}</Text>
                  <Text size="xs" c="dimmed">
                    <PersonName person={one.setBy} />
                  </Text>
                </>
              ) : (
                <Text size="xs" c="dimmed">
                  {t('admin.controls.retentionDefault')}
                </Text>
              )}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function PeriodForm({
  types,
  periods,
  onChanged,
  onStale,
}: Pick<RetentionProps, 'types' | 'periods' | 'onChanged' | 'onStale'>) {
  const { t } = useTranslation();
  const outcome = useOutcome();
  const [type, setType] = useState<string>('*');
  const [days, setDays] = useState<number | string>('');
  const [reason, setReason] = useState('');
  const command = useCommand(SetRetention, (data) => data.setRetention);
  useStale(command.refusals, onStale);
  const send = async () => {
    const documentType = type === '*' ? '' : type;
    const inForce = periods.find((one) => one.inForce && one.documentType === documentType);
    const expectedDays = inForce?.days ?? null; // what the list below the form shows
    const payload = await command.run({ documentType, days: Number(days), expectedDays, reason });
    if (!payload) return;
    setDays('');
    setReason('');
    onChanged(outcome(payload));
  };
  return (
    <>
      <Group gap="sm" mb="sm" align="flex-end">
        <Select
          label={t('admin.controls.retentionType')}
          data={[
            { value: '*', label: t('admin.controls.allTypes') },
            ...types.map(({ key }) => ({ value: key, label: key })),
          ]}
          value={type}
          onChange={(value) => setType(value ?? '*')}
        />
        <NumberInput
          label={t('admin.controls.retentionDays')}
          min={1}
          max={36500}
          allowDecimal={false}
          value={days}
          onChange={setDays}
        />
        <TextInput
          label={t('admin.controls.retentionReason')}
          maxLength={SetRetentionInput.reason}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <ButtonWithReason
          disabledReason={
            days === '' || reason.trim() === '' ? t('admin.controls.retentionFirst') : null
          }
          loading={command.busy}
          onClick={() => void send()}
        >
          {t('admin.controls.retentionSet')}
        </ButtonWithReason>
      </Group>
      <RefusalAlert refusals={command.refusals} error={command.error} />
    </>
  );
}
