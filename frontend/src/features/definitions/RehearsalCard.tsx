// Rehearses a change on recent cases and shows the report.
import { Checkbox, Group, NumberInput, Text, Title } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import type { RehearsalChangeInput } from '../../graphql/generated/graphql';
import { sendThroughLoss } from '../../graphql/resend';
import { newKey } from '../../lib/keys';
import { failureMessage } from '../../lib/labels';
import { type Failure, failureOf, type Refusal } from '../../lib/refusals';
import { ButtonWithReason } from '../../ui/buttons';
import { Notice, RefusalAlert } from '../../ui/states';
import { RehearsalReport } from './RehearsalReport';
import type { Rehearsed } from './rehearsal';
import { Rehearse } from './rehearsal.graphql';
import { RehearseProposal } from './rehearsal-reports.graphql';

const mostClosed = 10_000;
const named = 100;

interface RehearsalCardProps {
  /** The change; null while it is incomplete. */
  change: RehearsalChangeInput | null;
  /** Why the change cannot be rehearsed now; null if it can. */
  disabledReason: string | null;
  /** The process whose cases are rehearsed; null for all. */
  processKey: string | null;
  /** The proposal of which the text is rehearsed, to record the sums; null if nothing is recorded. */
  proposalId?: string | null;
  /** The labels of the steps by id. */
  names: ReadonlyMap<string, string>;
  /** The fields by which the change is chosen. */
  children?: ReactNode;
}

interface Result {
  of: string; // the input as JSON
  rehearsal: Rehearsed | null;
  failure: Failure | null;
  refusals: readonly Refusal[];
}

export function RehearsalCard(props: RehearsalCardProps) {
  const { change, disabledReason, processKey, proposalId = null, names, children } = props;
  const { t, i18n } = useTranslation();
  const client = useClient();
  const titleId = useId();
  const [closed, setClosed] = useState(1000);
  const [open, setOpen] = useState(true);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const input = change && { change, processKey, closed, open, named, zone };
  const of = JSON.stringify(input);
  const rehearse = async () => {
    if (!input) return;
    setBusy(true);
    const idempotencyKey = newKey();
    const made =
      proposalId === null
        ? await client.query(Rehearse, { input }, { requestPolicy: 'network-only' }).toPromise()
        : await sendThroughLoss(() =>
            client
              .mutation(RehearseProposal, {
                input: { proposalId, closed, open, named, zone, idempotencyKey },
              })
              .toPromise(),
          );
    setBusy(false);
    const recorded = made.data && 'rehearseProposal' in made.data && made.data.rehearseProposal;
    setResult({
      of,
      rehearsal:
        (recorded
          ? recorded.rehearsal
          : made.data && 'rehearse' in made.data && made.data.rehearse) || null,
      failure: made.error ? failureOf(made.error) : null,
      refusals: recorded ? recorded.userErrors : [],
    });
  };
  return (
    <section className="cs-card" aria-labelledby={titleId}>
      <Title order={2} id={titleId}>
        {t('rehearsal.title')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('rehearsal.intro')} {proposalId !== null && t('rehearsal.recorded.intro')}
      </Text>
      <Group align="end" gap="sm" my="sm">
        {children}
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
      {result && <RefusalAlert refusals={result.refusals} error={null} />}
      {result?.rehearsal && result.of === of && (
        <RehearsalReport rehearsal={result.rehearsal} names={names} />
      )}
    </section>
  );
}
