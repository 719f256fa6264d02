// Formatted values: amounts, times, names.
import { useTranslation } from 'react-i18next';
import { type Deadline, laterDeadline, nextDeadline } from '../lib/deadline';
import { clockText, dateTimeText, fullTimeText, relativeText, timeLeftText } from '../lib/format';
import { groupedAmount } from '../lib/money';
import { useNow } from '../lib/now';

/** An exact amount; null is shown as unknown. */
export function MoneyText({
  money,
}: {
  money: { amount: string; currency: string } | null | undefined;
}) {
  const { t, i18n } = useTranslation();
  if (!money) return <span>{t('ui.unknownAmount')}</span>;
  return (
    <span className="cs-numbers">
      {groupedAmount(money.amount, i18n.language)} {money.currency}
    </span>
  );
}

interface TimestampProps {
  iso: string;
  /**
   * relative: "in 3 hours", updated automatically; moment: date and time; clock: time of day with
   * seconds.
   */
  as?: 'relative' | 'moment' | 'clock';
}

/** A time. Its title is the full date and time, with the time zone. */
export function Timestamp({ iso, as = 'relative' }: TimestampProps) {
  const { i18n } = useTranslation();
  const now = useNow();
  const text =
    as === 'moment'
      ? dateTimeText(iso, i18n.language)
      : as === 'clock'
        ? clockText(iso, i18n.language)
        : relativeText(iso, now, i18n.language);
  return (
    <time dateTime={iso} className="cs-numbers" title={fullTimeText(iso, i18n.language)}>
      {text}
    </time>
  );
}

/** The deadline of a review that acts first, with what must be done until then; and the later one. */
export function ReviewDeadline({ review }: { review: Parameters<typeof nextDeadline>[0] }) {
  const { t } = useTranslation();
  const now = useNow();
  const deadline = nextDeadline(review, now);
  const later = laterDeadline(review, now);
  if (!deadline) return null;
  return (
    <span className="cs-deadline">
      <span data-deadline={deadline.kind} title={t(`ui.deadline.${deadline.kind}Hint`)}>
        <DeadlineText deadline={deadline} now={now} />
      </span>
      {later && (
        <span data-later={later.kind} title={t(`ui.deadline.${later.kind}Hint`)}>
          <DeadlineText deadline={later} now={now} />
        </span>
      )}
    </span>
  );
}

/** "Claim within 1 h 59 min"; once it has passed, when it was. */
function DeadlineText({ deadline, now }: { deadline: Deadline; now: number }) {
  const { t, i18n } = useTranslation();
  const { iso, kind } = deadline;
  const left = Date.parse(iso) - now;
  const text =
    left > 0
      ? t(`ui.deadline.${kind}`, { time: timeLeftText(left, i18n.language) })
      : t(`ui.deadline.${kind}Late`, { time: relativeText(iso, now, i18n.language) });
  return (
    <time dateTime={iso} className="cs-numbers" title={dateTimeText(iso, i18n.language)}>
      {text}
    </time>
  );
}

/** A person's name; null if the user may not know it, or no person acted. */
export function PersonName({
  person,
  fallback,
}: {
  person: { name: string } | null | undefined;
  fallback?: string;
}) {
  const { t } = useTranslation();
  return <span title={person?.name}>{person?.name ?? fallback ?? t('ui.unknownPerson')}</span>;
}
