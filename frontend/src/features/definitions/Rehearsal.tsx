// Rehearses the text of the editor, or a change of a queue, on recent cases.
import { NumberInput, Select } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RehearsalCard } from './RehearsalCard';
import { type ChangeKind, changeKinds, changeOf } from './rehearsal';

const usualAmount = { text: 0, reviewers: 1, deadline: 50 };

interface RehearsalProps {
  /** The key of the process. */
  processKey: string;
  text: string;
  ready: boolean;
  /** The labels of the steps by id. */
  names: ReadonlyMap<string, string>;
  /** The queues whose changes can be rehearsed; null if only the text can be. */
  queues: readonly string[] | null;
  /** The proposal of which it is the text. */
  proposalId?: string;
}

export function Rehearsal({ processKey, text, ready, names, queues, proposalId }: RehearsalProps) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<ChangeKind>('text');
  const [queue, setQueue] = useState<string | null>(null);
  const [amount, setAmount] = useState(0);
  const disabledReason =
    kind === 'text'
      ? ready
        ? null
        : t('rehearsal.notReady')
      : queue === null
        ? t('rehearsal.noQueue')
        : null;
  return (
    <RehearsalCard
      change={changeOf(kind, text, queue, amount)}
      disabledReason={disabledReason}
      processKey={processKey}
      proposalId={proposalId ?? null}
      names={names}
    >
      {queues && (
        <Select
          size="xs"
          label={t('rehearsal.change')}
          allowDeselect={false}
          value={kind}
          onChange={(value) => {
            const next = changeKinds.find((one) => one === value) ?? 'text';
            setKind(next);
            setAmount(usualAmount[next]);
          }}
          data={changeKinds.map((value) => ({ value, label: t(`rehearsal.kinds.${value}`) }))}
        />
      )}
      {queues && kind !== 'text' && (
        <>
          <Select
            size="xs"
            label={t('rehearsal.queue')}
            value={queue}
            onChange={setQueue}
            data={[...queues]}
          />
          <NumberInput
            size="xs"
            w={130}
            label={t(`rehearsal.amounts.${kind}`)}
            allowDecimal={false}
            clampBehavior="strict"
            min={kind === 'reviewers' ? -20 : 10}
            max={kind === 'reviewers' ? 20 : 1000}
            value={amount}
            onChange={(value) => setAmount(Number(value))}
          />
        </>
      )}
    </RehearsalCard>
  );
}
