// From which day to which, and why: what both forms ask for.
import { Group, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CreateDelegationInput } from '../../graphql/generated/bounds';
import { dateRangeOf, dayOf } from '../../lib/days';

export function useSpan() {
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
    span: dateRangeOf(from, last, today),
  };
}

export function SpanFields({
  of,
  reasonExample,
}: {
  of: ReturnType<typeof useSpan>;
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
          min={of.today}
          value={of.from}
          onChange={(event) => of.setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          required
          label={t('delegations.last')}
          min={of.from || of.today}
          value={of.last}
          onChange={(event) => of.setLast(event.currentTarget.value)}
        />
      </Group>
      <Textarea
        autosize
        minRows={2}
        maxRows={6}
        maxLength={CreateDelegationInput.reason}
        label={t('delegations.reason')}
        placeholder={reasonExample}
        value={of.reason}
        onChange={(event) => of.setReason(event.currentTarget.value)}
      />
    </>
  );
}
