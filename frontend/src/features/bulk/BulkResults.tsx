// The outcome of the last command for each review, and the time left to undo an approval.
import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { queueLabel, refusalHint, refusalMessage } from '../../lib/labels';
import { useSecondsLeft } from '../../lib/seconds-left';
import { Icon } from '../../ui/Icon';
import { RefusalAlert } from '../../ui/states';
import classes from './bulk.module.css';
import type { Outcome } from './outcomes';
import { outsideNames } from './plan';
import type { Bulk } from './use-bulk';

export function BulkResults({ bulk }: { bulk: Bulk }) {
  const { t } = useTranslation();
  const { outcomes } = bulk;
  if (outcomes.length === 0) return <Failure bulk={bulk} />;
  // What failed is read first, because it needs the person.
  const sorted = [...outcomes].sort((a, b) => Number(a.done !== null) - Number(b.done !== null));
  return (
    <section className={`cs-card ${classes.outcomes}`} aria-label={t('bulk.results')}>
      <Group justify="space-between" gap="sm" mb={4}>
        <Text size="sm" fw={600} role="status">
          <Done outcomes={outcomes} />
        </Text>
        <Button variant="subtle" size="compact-sm" onClick={bulk.dismiss}>
          {t('bulk.dismiss')}
        </Button>
      </Group>
      <RefusalAlert refusals={bulk.refusals} error={bulk.error} />
      <ul>
        {sorted.map((outcome) => (
          <OutcomeItem key={outcome.id} outcome={outcome} bulk={bulk} />
        ))}
      </ul>
    </section>
  );
}

/** How many were done; a claim that reached the limit of one person says so. */
function Done({ outcomes }: { outcomes: readonly Outcome[] }) {
  const { t } = useTranslation();
  const done = outcomes.filter((outcome) => outcome.done !== null).length;
  const limit = outcomes
    .flatMap(({ refusals }) => refusals)
    .find(({ code }) => code === 'ClaimLimitReached');
  const held = limit?.values?.find(({ name }) => name === 'held')?.value;
  if (held) return <>{t('bulk.limitReached', { done, held, count: outcomes.length })}</>;
  return <>{t('bulk.done', { done, count: outcomes.length })}</>;
}

/** Why the last command failed, also when its cases have left the list. */
function Failure({ bulk }: { bulk: Bulk }) {
  const { t } = useTranslation();
  if (!bulk.failed) return null;
  return (
    <Group gap="sm" align="flex-start" wrap="nowrap">
      <RefusalAlert refusals={bulk.refusals} error={bulk.error} />
      <Button variant="subtle" size="compact-sm" onClick={bulk.cancel}>
        {t('bulk.dismiss')}
      </Button>
    </Group>
  );
}

function OutcomeItem({ outcome, bulk }: { outcome: Outcome; bulk: Bulk }) {
  const { t } = useTranslation();
  const seconds = useSecondsLeft(outcome.undoUntil);
  const { done, to, reference, queue } = outcome;
  return (
    <li data-tone={done ? 'good' : 'bad'}>
      <Icon name={done ? 'check' : 'refused'} size={15} />
      <span className={classes.outcome}>
        <b>{reference}</b> {queueLabel(t, queue)}:{' '}
        {done === 'reassign' && to ? (
          <span className="cs-lines2">{t('bulk.result.reassignedTo', { name: to })}</span>
        ) : done ? (
          t(`bulk.result.${done}`)
        ) : (
          <Refused outcome={outcome} />
        )}
      </span>
      {seconds > 0 && (
        <Button
          variant="default"
          size="compact-sm"
          loading={bulk.undoing}
          aria-label={t('bulk.undoOne', { reference })}
          onClick={() => void bulk.undoDecision(outcome.id)}
        >
          {t('bulk.undo', { count: seconds })}
        </Button>
      )}
    </li>
  );
}

/** Why a review was refused, and what the person can do. */
function Refused({ outcome: { refusals } }: { outcome: Outcome }) {
  const { t, i18n } = useTranslation();
  const refusal = refusals[0];
  if (!refusal) return <>{t('bulk.unknown')}</>;
  const outside = outsideNames.find((name) => refusal.values?.some(({ value }) => value === name));
  if (outside) return <>{t(`bulk.outside.${outside}`)}</>;
  const hint = refusalHint(t, i18n.language, {
    code: refusal.code,
    remedy: refusal.remedy ?? null,
  });
  return (
    <>
      {refusalMessage(t, i18n.language, refusal)} {hint}
    </>
  );
}
