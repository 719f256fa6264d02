// The commands on the selected reviews, their outcomes, and the time left to undo an approval.
import { Button, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApproveReviewsInput } from '../../graphql/generated/bounds';
import { refusalMessage } from '../../lib/labels';
import { groupedAmount } from '../../lib/money';
import { useSecondsLeft } from '../../lib/seconds-left';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { RefusalAlert } from '../../ui/states';
import { batchSize, maxChosen, type Outcome, outsideOf } from './bulk';
import classes from './queue.module.css';
import type { Bulk } from './use-bulk';
import type { useQueue } from './use-queue';

/** The results and the commands, at the lower edge of the window: where the person is in the list. */
export function BulkDock({ bulk, onBehalf }: { bulk: Bulk; onBehalf: boolean }) {
  if (bulk.rows.length === 0 && bulk.outcomes.length === 0) return null;
  return (
    <div className={classes.dock}>
      <Progress bulk={bulk} />
      <BulkResults bulk={bulk} />
      <BulkBar bulk={bulk} onBehalf={onBehalf} />
    </div>
  );
}

interface SelectAllProps {
  queue: Pick<ReturnType<typeof useQueue>, 'rows' | 'total' | 'more'>;
  bulk: Bulk;
}

/** Selects every review of the list, also those of pages that are not shown yet, up to a bound. */
export function SelectAll({ queue, bulk }: SelectAllProps) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState(false);
  const { rows, total, more } = queue;
  const ready = asked && !more.loading;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the rows are read
  useEffect(() => {
    if (!ready) return;
    setAsked(false);
    bulk.chooseAll(rows.flatMap(({ row, left }) => (left === null ? [row.id] : [])));
  }, [ready]);
  const select = async () => {
    await more.loadUntil(Math.min(total, maxChosen));
    setAsked(true);
  };
  const count = Math.min(total, maxChosen);
  if (total < 2 || bulk.rows.length >= count) return null;
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      mb={4}
      loading={more.loading}
      onClick={() => void select()}
    >
      {total > maxChosen
        ? t('queue.bulk.selectFirst', { count, total })
        : t('queue.bulk.selectAll', { count })}
    </Button>
  );
}

/** How far a command is, and the way to stop it. Parts that were sent are not undone by it. */
function Progress({ bulk }: { bulk: Bulk }) {
  const { t } = useTranslation();
  if (!bulk.progress) return null;
  return (
    <Group gap="xs">
      <Text size="sm" role="status">
        {t('queue.bulk.progress', bulk.progress)}
      </Text>
      <Button variant="default" size="compact-sm" onClick={bulk.stop}>
        {t('queue.bulk.stop')}
      </Button>
    </Group>
  );
}

/** The limits of bulk approval, and how many of the selected reviews are outside. */
function LimitHint({ bulk }: { bulk: Bulk }) {
  const { t, i18n } = useTranslation();
  const { count, limits } = outsideOf(bulk.rows);
  if (count === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      {limits?.maxAmount
        ? t('queue.bulk.limits', {
            count,
            risk: limits.maxRisk,
            amount: `${groupedAmount(limits.maxAmount.amount, i18n.language)} ${limits.maxAmount.currency}`,
          })
        : t('queue.bulk.noLimits', { count })}
    </Text>
  );
}

/** `onBehalf`: the user acts for a delegator, for whom bulk commands are not permitted. */
function BulkBar({ bulk, onBehalf }: { bulk: Bulk; onBehalf: boolean }) {
  const { t } = useTranslation();
  const [confirming, setConfirming] = useState(false);
  const count = bulk.rows.length;
  const { approvable } = bulk;
  const disabledReason = onBehalf ? t('queue.bulk.ownName') : null;
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
        {bulk.claimable > 0 && (
          <ButtonWithReason
            disabledReason={disabledReason}
            variant="default"
            size="sm"
            loading={bulk.busy && !confirming}
            onClick={() => void bulk.run('claimed', '')}
          >
            {t('queue.bulk.claim', { count: bulk.claimable })}
          </ButtonWithReason>
        )}
        <ButtonWithReason
          disabledReason={disabledReason ?? (approvable === 0 ? t('queue.bulk.noneWithin') : null)}
          size="sm"
          onClick={() => setConfirming(true)}
        >
          {t('queue.bulk.approve', { count: approvable })}
        </ButtonWithReason>
      </Group>
      <LimitHint bulk={bulk} />
      <ConfirmDialog
        opened={confirming}
        title={t('queue.bulk.approveTitle', { count: approvable })}
        confirmLabel={t('queue.bulk.approve', { count: approvable })}
        busy={bulk.busy}
        reason={{
          label: t('queue.bulk.reason'),
          required: false,
          maxLength: ApproveReviewsInput.reason,
        }}
        onClose={() => setConfirming(false)}
        onConfirm={async (reason) => {
          const sent = bulk.run('approved', reason);
          if (bulk.approvable > batchSize) setConfirming(false);
          if (await sent) setConfirming(false);
        }}
      >
        {t('queue.bulk.approveText')}
        <RefusalAlert refusals={bulk.refusals} error={bulk.error} />
      </ConfirmDialog>
    </section>
  );
}

function BulkResults({ bulk }: { bulk: Bulk }) {
  const { t } = useTranslation();
  const { outcomes } = bulk;
  if (outcomes.length === 0) return null;
  const done = outcomes.filter((outcome) => outcome.done !== null).length;
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
        {outcomes.map((outcome) => (
          <OutcomeItem key={outcome.id} outcome={outcome} bulk={bulk} />
        ))}
      </ul>
    </section>
  );
}

/** The limits that exclude a review from bulk approval. */
const limitNames = ['amount', 'risk', 'not_allowed'] as const;

function OutcomeItem({ outcome, bulk }: { outcome: Outcome; bulk: Bulk }) {
  const { t, i18n } = useTranslation();
  const seconds = useSecondsLeft(outcome.undoUntil);
  const refusal = outcome.refusals[0];
  const limit = limitNames.find((name) => refusal?.values?.some(({ value }) => value === name));
  const disabledReason = limit
    ? t(`queue.bulk.outside.${limit}`)
    : refusal && refusalMessage(t, i18n.language, refusal);
  return (
    <li data-tone={outcome.done ? 'good' : 'bad'}>
      <Icon name={outcome.done ? 'check' : 'refused'} size={15} />
      <span className={classes.outcome}>
        <b>{outcome.reference}</b>{' '}
        {outcome.done
          ? t(`queue.bulk.${outcome.done}`)
          : (disabledReason ?? t('queue.bulk.unknown'))}
      </span>
      {seconds > 0 && (
        <Button
          variant="default"
          size="compact-sm"
          loading={bulk.undoing}
          aria-label={t('queue.bulk.undoOne', { reference: outcome.reference })}
          onClick={() => void bulk.undoDecision(outcome.id)}
        >
          {t('queue.bulk.undo', { count: seconds })}
        </Button>
      )}
    </li>
  );
}
