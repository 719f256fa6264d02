// Creates a delegation: delegate, date range, scope and limit.
import { Checkbox, Group, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import type { DelegationLineFragment } from '../../graphql/generated/graphql';
import { documentTypeLabels } from '../../lib/labels';
import { baseCurrency, isPlainAmount } from '../../lib/money';
import { FormDialog } from '../../ui/FormDialog';
import { DateRangeFields, useDateRange } from './DateRange';
import { Lend } from './delegations.graphql';

export interface PersonOption {
  id: string;
  name: string;
}

/** A person who can delegate here, with their queues. */
export interface Delegator extends PersonOption {
  queues: readonly string[];
}

interface DelegationDialogProps {
  /** A single entry is the current user; with several, an administrator chooses. */
  delegators: readonly Delegator[];
  candidates: readonly PersonOption[];
  types: readonly string[];
  onDone: (delegation: DelegationLineFragment, uncoveredReviews: number) => void;
  onClose: () => void;
}

export const personOptions = (people: readonly PersonOption[]) =>
  people.map(({ id, name }) => ({ value: id, label: name }));

export function DelegationDialog({
  delegators,
  candidates,
  types,
  onDone,
  onClose,
}: DelegationDialogProps) {
  const { t } = useTranslation();
  const own = delegators.length === 1 ? delegators[0] : undefined;
  const [delegatorId, setDelegator] = useState<string | null>(own?.id ?? null);
  const [delegateId, setDelegate] = useState<string | null>(null);
  const [queues, setQueues] = useState<string[]>([]);
  const [documentTypes, setDocumentTypes] = useState<string[]>([]);
  const [limit, setLimit] = useState('');
  const range = useDateRange();
  const command = useCommand(Lend, (data) => data.createDelegation);
  const delegator = delegators.find(({ id }) => id === delegatorId);
  const disabledReason = !delegatorId
    ? t('delegations.lend.giverFirst')
    : !delegateId
      ? t('delegations.lend.takerFirst')
      : !range.range
        ? t('delegations.daysFirst')
        : limit.trim() !== '' && !isPlainAmount(limit)
          ? t('delegations.lend.notAmount')
          : null;
  const send = async () => {
    if (!delegateId || !range.range) return;
    const payload = await command.run({
      giverId: own ? null : delegatorId,
      takerId: delegateId,
      validFrom: range.range.from,
      validUntil: range.range.until,
      queues,
      documentTypes,
      limit: limit.trim() === '' ? null : { amount: limit.trim(), currency: baseCurrency },
      reason: range.reason.trim() || null,
    });
    if (payload?.delegation) onDone(payload.delegation, payload.withNobody ?? 0);
  };
  return (
    <FormDialog
      title={own ? t('delegations.lend.title') : t('delegations.lend.titleOther')}
      size="lg"
      disabledReason={disabledReason}
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
          value={delegatorId}
          onChange={(id) => {
            setDelegator(id);
            setQueues([]);
          }}
          data={personOptions(delegators)}
        />
      )}
      <Select
        required
        searchable
        data-autofocus
        label={t('delegations.lend.taker')}
        nothingFoundMessage={t('delegations.nobodyFound')}
        value={delegateId}
        onChange={setDelegate}
        data={personOptions(candidates.filter(({ id }) => id !== delegatorId))}
      />
      <DateRangeFields form={range} reasonExample={t('delegations.lend.example')} />
      {delegator && delegator.queues.length > 1 && (
        <Checkbox.Group
          label={t('delegations.lend.queues')}
          description={t('delegations.lend.queuesHint')}
          value={queues}
          onChange={setQueues}
        >
          <Group mt="xs">
            {delegator.queues.map((name) => (
              <Checkbox key={name} value={name} label={name} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      {types.length > 1 && (
        <Checkbox.Group
          label={t('delegations.lend.types')}
          description={t('delegations.lend.typesHint')}
          value={documentTypes}
          onChange={setDocumentTypes}
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
