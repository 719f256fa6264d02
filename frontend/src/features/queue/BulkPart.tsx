// What is chosen and what can be done with it; then what became of each, and how long an approval can be taken back.
import { Button, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApproveReviewsInput } from '../../graphql/generated/bounds';
import { refusalMessage } from '../../lib/words';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { RefusalAlert } from '../../ui/states';
import { type Outcome, secondsUntil } from './bulk';
import classes from './queue.module.css';
import type { Bulk } from './use-bulk';

/** `named`: the person claims in another's name, in which nothing is done to several at once. */
export function BulkBar({ bulk, named }: { bulk: Bulk; named: boolean }) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  const count = bulk.rows.length;
  const why = named ? t('queue.bulk.ownName') : null;
  if (count === 0) return null;
  return (
    <section className={classes.bulk} aria-label={t('queue.bulk.label')}>
      <Text size="sm" fw={600} role="status">
        {t('queue.bulk.chosen', { count })}
      </Text>
      <Group gap={6}>
        <Button variant="default" size="sm" onClick={bulk.clear}>
          {t('queue.bulk.clear')}
        </Button>
        <ButtonWithReason
          disabledReason={why}
          variant="default"
          size="sm"
          loading={bulk.busy && !asking}
          onClick={() => void bulk.run('claimed', '')}
        >
          {t('queue.bulk.claim', { count })}
        </ButtonWithReason>
        <ButtonWithReason disabledReason={why} size="sm" onClick={() => setAsking(true)}>
          {t('queue.bulk.approve', { count })}
        </ButtonWithReason>
      </Group>
      <ConfirmDialog
        opened={asking}
        title={t('queue.bulk.approveTitle', { count })}
        confirmLabel={t('queue.bulk.approve', { count })}
        busy={bulk.busy}
        reason={{
          label: t('queue.bulk.reason'),
          required: false,
          maxLength: ApproveReviewsInput.reason,
        }}
        onClose={() => setAsking(false)}
        onConfirm={async (reason) => {
          if (await bulk.run('approved', reason)) setAsking(false);
        }}
      >
        {t('queue.bulk.approveText')}
        <RefusalAlert refusals={bulk.refusals} error={bulk.error} />
      </ConfirmDialog>
    </section>
  );
}

export function BulkResults({ bulk }: { bulk: Bulk }) {
  const { t } = useTranslation();
  const { outcomes } = bulk;
  const now = useSeconds(outcomes);
  if (outcomes.length === 0) return null;
  const done = outcomes.filter((one) => one.done !== null).length;
  return (
    <section className={`cs-card ${classes.outcomes}`} aria-label={t('queue.bulk.results')}>
      <Group justify="space-between" gap="sm" mb={4}>
        <Text size="sm" fw={600} role="status">
          {t('queue.bulk.done', { done, count: outcomes.length })}
        </Text>
        <Button variant="subtle" size="compact-sm" onClick={bulk.dismiss}>
          {t('queue.dismiss')}
        </Button>
      </Group>
      <RefusalAlert refusals={bulk.refusals} error={bulk.error} />
      <ul>
        {outcomes.map((one) => (
          <OutcomeLine key={one.id} one={one} now={now} bulk={bulk} />
        ))}
      </ul>
    </section>
  );
}

/** What keeps a review out of those that may be approved at once. */
const bounds = ['amount', 'risk', 'not_allowed'] as const;

function OutcomeLine({ one, now, bulk }: { one: Outcome; now: number; bulk: Bulk }) {
  const { t, i18n } = useTranslation();
  const seconds = secondsUntil(one.undoUntil, now);
  const refusal = one.refusals[0];
  const bound = bounds.find((name) => refusal?.values?.some(({ value }) => value === name));
  const why = bound
    ? t(`queue.bulk.outside.${bound}`)
    : refusal && refusalMessage(t, i18n.language, refusal);
  return (
    <li data-tone={one.done ? 'good' : 'bad'}>
      <Icon name={one.done ? 'check' : 'refused'} size={15} />
      <span className={classes.outcome}>
        <b>{one.reference}</b>{' '}
        {one.done ? t(`queue.bulk.${one.done}`) : (why ?? t('queue.bulk.unknown'))}
      </span>
      {seconds > 0 && (
        <Button
          variant="default"
          size="compact-sm"
          loading={bulk.undoing}
          aria-label={t('queue.bulk.undoOne', { reference: one.reference })}
          onClick={() => void bulk.takeBack(one.id)}
        >
          {t('queue.bulk.undo', { count: seconds })}
        </Button>
      )}
    </li>
  );
}

/** The present, moving on every second while there is something to take back. */
function useSeconds(outcomes: readonly Outcome[]): number {
  const [now, setNow] = useState(() => Date.now());
  const open = outcomes.some(({ undoUntil }) => secondsUntil(undoUntil, now) > 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new outcomes are counted from the present
  useEffect(() => setNow(Date.now()), [outcomes]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each second begins the next
  useEffect(() => {
    if (!open) return;
    const timer = setTimeout(() => setNow(Date.now()), 1_000);
    return () => clearTimeout(timer);
  }, [open, now]);
  return now;
}
