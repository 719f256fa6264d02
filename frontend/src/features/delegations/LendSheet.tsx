// Lends a name: to whom, for which days, and how far.
import { Checkbox, Group, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import type { DelegationLineFragment } from '../../graphql/generated/graphql';
import { isPlainAmount } from '../../lib/money';
import { documentTypeLabels } from '../../lib/words';
import { FormDialog } from '../../ui/FormSheet';
import { Lend } from './delegations.graphql';
import { SpanFields, useSpan } from './Span';

export interface Named {
  id: string;
  name: string;
}

/** Whose name can be lent here, with the queues it works. */
export interface Giver extends Named {
  queues: readonly string[];
}

interface LendSheetProps {
  /** One = one's own; several = an administrator chooses. */
  givers: readonly Giver[];
  takers: readonly Named[];
  types: readonly string[];
  onDone: (lent: DelegationLineFragment, withNobody: number) => void;
  onClose: () => void;
}

const baseCurrency = 'USD';

export const options = (people: readonly Named[]) =>
  people.map(({ id, name }) => ({ value: id, label: name }));

export function LendSheet({ givers, takers, types, onDone, onClose }: LendSheetProps) {
  const { t } = useTranslation();
  const own = givers.length === 1 ? givers[0] : undefined;
  const [giverId, setGiver] = useState<string | null>(own?.id ?? null);
  const [takerId, setTaker] = useState<string | null>(null);
  const [queues, setQueues] = useState<string[]>([]);
  const [kinds, setKinds] = useState<string[]>([]);
  const [limit, setLimit] = useState('');
  const days = useSpan();
  const command = useCommand(Lend, (data) => data.createDelegation);
  const giver = givers.find(({ id }) => id === giverId);
  const why = !giverId
    ? t('delegations.lend.giverFirst')
    : !takerId
      ? t('delegations.lend.takerFirst')
      : !days.span
        ? t('delegations.daysFirst')
        : limit.trim() !== '' && !isPlainAmount(limit)
          ? t('delegations.lend.notAmount')
          : null;
  const send = async () => {
    if (!takerId || !days.span) return;
    const done = await command.run({
      giverId: own ? null : giverId,
      takerId,
      validFrom: days.span.from,
      validUntil: days.span.until,
      queues,
      documentTypes: kinds,
      limit: limit.trim() === '' ? null : { amount: limit.trim(), currency: baseCurrency },
      reason: days.reason.trim() || null,
    });
    if (done?.delegation) onDone(done.delegation, done.withNobody ?? 0);
  };
  return (
    <FormDialog
      title={own ? t('delegations.lend.title') : t('delegations.lend.titleOther')}
      size="lg"
      disabledReason={why}
      busy={command.busy}
      refusals={command.refusals}
      error={command.error}
      confirmLabel={t('delegations.lend.confirm')}
      onSend={() => void send()}
      onClose={onClose}
    >
      <Text size="sm">{t('delegations.lend.text')}</Text>
      {!own && (
        <Select
          required
          searchable
          label={t('delegations.lend.giver')}
          value={giverId}
          onChange={(id) => {
            setGiver(id);
            setQueues([]);
          }}
          data={options(givers)}
        />
      )}
      <Select
        required
        searchable
        data-autofocus
        label={t('delegations.lend.taker')}
        nothingFoundMessage={t('delegations.nobodyFound')}
        value={takerId}
        onChange={setTaker}
        data={options(takers.filter(({ id }) => id !== giverId))}
      />
      <SpanFields of={days} reasonExample={t('delegations.lend.example')} />
      {giver && giver.queues.length > 1 && (
        <Checkbox.Group
          label={t('delegations.lend.queues')}
          description={t('delegations.lend.queuesHint')}
          value={queues}
          onChange={setQueues}
        >
          <Group mt="xs">
            {giver.queues.map((name) => (
              <Checkbox key={name} value={name} label={name} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      {types.length > 1 && (
        <Checkbox.Group
          label={t('delegations.lend.types')}
          description={t('delegations.lend.typesHint')}
          value={kinds}
          onChange={setKinds}
        >
          <Group mt="xs">
            {types.map((type) => (
              <Checkbox key={type} value={type} label={documentTypeLabels(t, [type])} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      <TextInput
        inputMode="decimal"
        maxLength={20}
        label={t('delegations.lend.limit', { currency: baseCurrency })}
        description={t('delegations.lend.limitHint')}
        value={limit}
        onChange={(event) => setLimit(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
