// Creates a delegation: delegate, date range, scope and limit.
import { Checkbox, Group, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import type { DelegationLineFragment } from '../../graphql/generated/graphql';
import { documentTypeLabels, queueLabel } from '../../lib/labels';
import { baseCurrency, isPlainAmount } from '../../lib/money';
import { useRefused } from '../../lib/use-stale';
import { FormDialog } from '../../ui/FormDialog';
import { DateRangeFields, useDateRange } from './DateRange';
import { CreateDelegation } from './delegations.graphql';

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
  /** Without a delegation, another administrator must confirm it. */
  onDone: (delegation: DelegationLineFragment | null, uncoveredReviews: number) => void;
  /** Another person was first: the page reads the lists. */
  onRefused: () => void;
  onClose: () => void;
}

export const personOptions = (people: readonly PersonOption[]) =>
  people.map(({ id, name }) => ({ value: id, label: name }));

export function DelegationDialog({
  delegators,
  candidates,
  types,
  onDone,
  onRefused,
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
  const command = useCommand(CreateDelegation, (data) => data.createDelegation);
  useRefused(command.refusals, onRefused);
  const delegator = delegators.find(({ id }) => id === delegatorId);
  const disabledReason = !delegatorId
    ? t('delegations.create.delegatorFirst')
    : !delegateId
      ? t('delegations.create.delegateFirst')
      : !range.range
        ? t('delegations.daysFirst')
        : limit.trim() !== '' && !isPlainAmount(limit)
          ? t('delegations.create.notAmount')
          : null;
  const send = async () => {
    if (!delegateId || !range.range) return;
    const payload = await command.run({
      delegatorId: own ? null : delegatorId,
      delegateId,
      validFrom: range.range.from,
      validUntil: range.range.until,
      queues,
      documentTypes,
      limit: limit.trim() === '' ? null : { amount: limit.trim(), currency: baseCurrency },
      reason: range.reason.trim() || null,
    });
    if (payload) onDone(payload.delegation, payload.reviewsWithoutReviewer ?? 0);
  };
  return (
    <FormDialog
      title={own ? t('delegations.create.title') : t('delegations.create.titleOther')}
      size="lg"
      disabledReason={disabledReason}
      busy={command.busy}
      refusals={command.refusals}
      error={command.error}
      confirmLabel={t('delegations.create.confirm')}
      onSend={() => void send()}
      onClose={onClose}
    >
      <Text size="sm">{t('delegations.create.text')}</Text>
      {!own && (
        <Select
          required
          searchable
          label={t('delegations.create.delegator')}
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
        label={t('delegations.create.delegate')}
        nothingFoundMessage={t('delegations.noMatches')}
        value={delegateId}
        onChange={setDelegate}
        data={personOptions(candidates.filter(({ id }) => id !== delegatorId))}
      />
      <DateRangeFields form={range} reasonExample={t('delegations.create.example')} />
      {delegator && delegator.queues.length > 1 && (
        <Checkbox.Group
          label={t('delegations.create.queues')}
          description={t('delegations.create.queuesHint')}
          value={queues}
          onChange={setQueues}
        >
          <Group mt="xs">
            {delegator.queues.map((name) => (
              <Checkbox key={name} value={name} label={queueLabel(t, name)} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      {types.length > 1 && (
        <Checkbox.Group
          label={t('delegations.create.types')}
          description={t('delegations.create.typesHint')}
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
        label={t('delegations.create.limit', { currency: baseCurrency })}
        description={t('delegations.create.limitHint')}
        value={limit}
        onChange={(event) => setLimit(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
