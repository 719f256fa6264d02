// One review of the board, and the outcome of its reassignment.
import { Checkbox, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { failureMessage, queueLabel, refusalMessage } from '../../lib/labels';
import { useNow } from '../../lib/now';
import { CaseAmount } from '../../ui/CaseAmount';
import { counterpartyText } from '../../ui/Counterparty';
import { Icon } from '../../ui/Icon';
import { Badge } from '../../ui/StatusBadge';
import { rowAttributes, type VirtualRow } from '../../ui/VirtualList';
import { PersonName, ReviewDeadline, Timestamp } from '../../ui/values';
import type { Review } from './board';
import classes from './manage.module.css';
import { PauseButton, Paused } from './PauseDeadlines';
import type { Outcome } from './reassign';

interface BoardRowProps extends Partial<VirtualRow> {
  review: Review;
  chosen: boolean;
  outcome: Outcome | undefined;
  /** Null if it cannot be selected now. */
  onToggle: ((review: Review) => void) | null;
  /** The review has left the list. */
  departed?: boolean;
}

export const BoardRow = memo(function BoardRow({
  review,
  chosen,
  outcome,
  onToggle,
  departed,
  measure,
  index,
}: BoardRowProps) {
  const { t } = useTranslation();
  const reviewCase = review.case;
  return (
    <tr
      {...(measure && index !== undefined && rowAttributes({ measure, index }))}
      data-chosen={chosen || undefined}
      data-gone={departed || undefined}
    >
      <td className={classes.pick}>
        {!departed && (
          <Checkbox
            data-row={review.id}
            aria-label={t('manage.choose', { reference: reviewCase?.reference ?? '' })}
            checked={chosen}
            disabled={!onToggle}
            onChange={() => onToggle?.(review)}
          />
        )}
      </td>
      <td className={classes.case}>
        {reviewCase ? (
          <Link to="/cases/$id" params={{ id: reviewCase.reference }}>
            {reviewCase.reference}
          </Link>
        ) : (
          t('manage.unknownCase')
        )}
        <span className={`cs-lines2 ${classes.party}`} title={reviewCase?.counterparty}>
          {counterpartyText(t, reviewCase)}
        </span>
        {outcome && <OutcomeLine outcome={outcome} />}
      </td>
      <td data-number className={classes.amount}>
        <CaseAmount amounts={reviewCase} stacked />
      </td>
      <td className={classes.queue}>{queueLabel(t, review.queue)}</td>
      <td className={classes.assignee}>
        <AssigneeCell review={review} />
      </td>
      <td className={classes.due}>
        <DueCell review={review} />
        {!departed && isUndecided(review) && <PauseButton review={review} />}
      </td>
    </tr>
  );
});

function AssigneeCell({ review }: { review: Review }) {
  const { t } = useTranslation();
  if (review.status === 'DECIDED') return <>{t('manage.holder.decided')}</>;
  if (review.status === 'CANCELLED') return <>{t('manage.holder.cancelled')}</>;
  if (!review.assignee)
    return (
      <Text span size="sm" c="dimmed">
        {t(review.drawn ? 'manage.holder.undrawn' : 'manage.holder.unassigned')}
      </Text>
    );
  const assigned = review.drawn ? 'drawn' : 'assigned';
  return (
    <>
      <span className="cs-lines2">
        <PersonName person={review.assignee} />
      </span>
      <Text size="xs" c="dimmed">
        {t(`manage.holder.${review.status === 'CLAIMED' ? 'claimed' : assigned}`)}
      </Text>
    </>
  );
}

const isUndecided = (review: Review) => review.status === 'OPEN' || review.status === 'CLAIMED';

/** The deadline that acts first. Lateness is also computed here, because time passes without events. */
function DueCell({ review }: { review: Review }) {
  const { t } = useTranslation();
  const now = useNow();
  if (review.pausedAt && isUndecided(review)) {
    // a pause does not stop the time limit of the step
    const acting = { ...review, claimBy: null, decideBy: null };
    return (
      <>
        <Paused reason={review.pauseReason} /> <ReviewDeadline review={acting} />
      </>
    );
  }
  const late =
    isUndecided(review) &&
    (review.overdue || (review.decideBy !== null && Date.parse(review.decideBy) < now));
  const unclaimed =
    review.status === 'OPEN' && review.claimBy !== null && Date.parse(review.claimBy) < now;
  const atRisk = isUndecided(review) && !late && (review.atRisk || unclaimed);
  return (
    <>
      {isUndecided(review) && <ReviewDeadline review={review} />}
      {!isUndecided(review) && review.decideBy && <Timestamp iso={review.decideBy} />}
      {late && (
        <div>
          <Badge tone="bad" icon="clock">
            {t('manage.overdue')}
          </Badge>
        </div>
      )}
      {atRisk && (
        <div>
          <Badge tone="warn" icon="clock">
            {unclaimed ? t('manage.notTaken') : t('manage.atRisk')}
          </Badge>
        </div>
      )}
    </>
  );
}

function OutcomeLine({ outcome }: { outcome: Outcome }) {
  const { t, i18n } = useTranslation();
  if (outcome.kind === 'reassigned') {
    return (
      <span className={classes.outcome} data-tone="good">
        <Icon name="check" size={15} />
        <span className="cs-lines2">
          {outcome.to
            ? t('manage.outcome.reassigned', { name: outcome.to })
            : t('manage.outcome.done')}
        </span>
      </span>
    );
  }
  const text =
    outcome.kind === 'refused'
      ? refusalMessage(t, i18n.language, outcome.refusal)
      : `${t('manage.outcome.unknown')} ${failureMessage(t, i18n.language, outcome.failure).message}`;
  return (
    <span className={classes.outcome} data-tone="bad">
      <Icon name="refused" size={15} />
      <span>{text}</span>
    </span>
  );
}
