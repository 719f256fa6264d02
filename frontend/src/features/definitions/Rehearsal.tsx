// Rehearses the text of the editor, or a change of a queue, on recent cases.
import { Checkbox, Group, NumberInput, Select, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { failureMessage } from '../../lib/labels';
import { type Failure, failureOf } from '../../lib/refusals';
import { ButtonWithReason } from '../../ui/buttons';
import { Notice } from '../../ui/states';
import { RehearsalReport } from './RehearsalReport';
import { type ChangeKind, changeKinds, changeOf, type Rehearsed } from './rehearsal';
import { Rehearse } from './rehearsal.graphql';

const mostClosed = 10_000;
const named = 100;
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
}

interface Result {
  of: string; // the input as JSON
  rehearsal: Rehearsed | null;
  failure: Failure | null;
}

export function Rehearsal({ processKey, text, ready, names, queues }: RehearsalProps) {
  const { t, i18n } = useTranslation();
  const client = useClient();
  const [kind, setKind] = useState<ChangeKind>('text');
  const [queue, setQueue] = useState<string | null>(null);
  const [amount, setAmount] = useState(0);
  const [closed, setClosed] = useState(1000);
  const [open, setOpen] = useState(true);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  const change = changeOf(kind, text, queue, amount);
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const input = change && { change, processKey, closed, open, named, zone };
  const of = JSON.stringify(input);
  const rehearse = async () => {
    if (!input) return;
    setBusy(true);
    const response = await client
      .query(Rehearse, { input }, { requestPolicy: 'network-only' })
      .toPromise();
    setBusy(false);
    setResult({
      of,
      rehearsal: response.data?.rehearse ?? null,
      failure: response.error ? failureOf(response.error) : null,
    });
  };
  const disabledReason =
    kind === 'text'
      ? ready
        ? null
        : t('rehearsal.notReady')
      : queue === null
        ? t('rehearsal.noQueue')
        : null;
  return (
    <section className="cs-card" aria-labelledby="rehearsal">
      <Title order={2} id="rehearsal">
        {t('rehearsal.title')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('rehearsal.intro')}
      </Text>
      <Group align="end" gap="sm" my="sm">
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
        <NumberInput
          size="xs"
          w={130}
          label={t('rehearsal.closed')}
          allowDecimal={false}
          clampBehavior="strict"
          min={1}
          max={mostClosed}
          value={closed}
          onChange={(value) => setClosed(Number(value) || 1)}
        />
        <Checkbox
          size="sm"
          label={t('rehearsal.open')}
          checked={open}
          onChange={({ currentTarget: { checked } }) => setOpen(checked)}
        />
        <ButtonWithReason
          disabledReason={disabledReason}
          variant="default"
          loading={busy}
          onClick={() => void rehearse()}
        >
          {t('rehearsal.ask')}
        </ButtonWithReason>
      </Group>
      {result?.failure && (
        <Notice tone="warn">{failureMessage(t, i18n.language, result.failure).message}</Notice>
      )}
      {result?.rehearsal && result.of === of && (
        <RehearsalReport rehearsal={result.rehearsal} names={names} />
      )}
    </section>
  );
}
