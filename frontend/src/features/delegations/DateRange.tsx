// The date range and reason fields that both forms share.
import { Group, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CreateDelegationInput } from '../../graphql/generated/bounds';
import { dateRangeOf, dayOf } from '../../lib/days';

export function useDateRange() {
  const today = dayOf(new Date());
  const [from, setFrom] = useState(today);
  const [last, setLast] = useState('');
  const [reason, setReason] = useState('');
  return {
    today,
    from,
    setFrom,
    last,
    setLast,
    reason,
    setReason,
    range: dateRangeOf(from, last, today),
  };
}

export function DateRangeFields({
  form,
  reasonExample,
}: {
  form: ReturnType<typeof useDateRange>;
  reasonExample: string;
}) {
  const { t } = useTranslation();
  return (
    <>
      <Group grow align="flex-start" gap="sm">
        <TextInput
          type="date"
          required
          label={t('delegations.from')}
          min={form.today}
          value={form.from}
          onChange={(event) => form.setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          required
          label={t('delegations.last')}
          min={form.from || form.today}
          value={form.last}
          onChange={(event) => form.setLast(event.currentTarget.value)}
        />
      </Group>
      <Textarea
        autosize
        minRows={2}
        maxRows={6}
        maxLength={CreateDelegationInput.reason}
        label={t('delegations.reason')}
        placeholder={reasonExample}
        value={form.reason}
        onChange={(event) => form.setReason(event.currentTarget.value)}
      />
    </>
  );
}
