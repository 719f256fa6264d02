// What the review is about, and taking it or giving it back.
import { Button, Kbd } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { groupedAmount } from '../../lib/money';
import { refusalMessage } from '../../lib/words';
import { ButtonWithReason } from '../../ui/buttons';
import { Badge, StatusBadge } from '../../ui/StatusBadge';
import { PageHeader } from '../../ui/states';
import { MoneyText, Timestamp } from '../../ui/values';
import classes from './review.module.css';
import type { ReadableReview, Reasons } from './review-facts';
import type { ReviewDesk } from './use-review';

interface HeadProps {
  review: ReadableReview;
  desk: ReviewDesk;
  reasons: Reasons;
}

export function Head({ review, desk, reasons }: HeadProps) {
  const { t } = useTranslation();
  const kase = review.case;
  const undecided = review.status === 'OPEN' || review.status === 'CLAIMED';
  return (
    <PageHeader
      title={
        <span className="cs-lines2" title={kase.counterparty}>
          {kase.counterparty || t('review.unnamed', { reference: kase.reference })}
        </span>
      }
      actions={<Actions desk={desk} reasons={reasons} />}
    >
      <div className={classes.facts}>
        <Link to="/cases/$id" params={{ id: kase.id }} title={t('review.case')}>
          {kase.reference}
        </Link>
        <strong>
          <MoneyText money={kase.amount} />
        </strong>
        <Declared review={review} />
        <StatusBadge status={kase.status} />
        {kase.risk !== null && <span>{t('review.risk', { points: kase.risk })}</span>}
        <span>{t('review.queueName', { name: review.queue })}</span>
        {kase.submitter && (
          <span className={classes.person} title={kase.submitter.name}>
            {t('review.submittedBy', { name: kase.submitter.name })}
          </span>
        )}
        {undecided && review.decideBy && (
          <span>
            {t('review.dueBy')} <Timestamp iso={review.decideBy} />
          </span>
        )}
        {undecided && review.overdue && (
          <Badge tone="bad" icon="clock">
            {t('review.overdue')}
          </Badge>
        )}
      </div>
    </PageHeader>
  );
}

/** What the submitter stated, where the document says something else. */
function Declared({ review: { case: kase } }: { review: ReadableReview }) {
  const { t, i18n } = useTranslation();
  const { amount, declaredAmount: declared } = kase;
  if (
    !declared ||
    (amount && amount.amount === declared.amount && amount.currency === declared.currency)
  )
    return null;
  const said = `${groupedAmount(declared.amount, i18n.language)} ${declared.currency}`;
  return <span>{t('review.declared', { amount: said })}</span>;
}

function Actions({ desk, reasons }: Omit<HeadProps, 'review'>) {
  const { t, i18n } = useTranslation();
  const { snapshot, claim, release } = desk;
  const { standing } = snapshot.context.seen;
  if (snapshot.matches('done') || snapshot.matches('closed')) return null;
  if (
    snapshot.matches('mine') ||
    snapshot.matches('saving') ||
    snapshot.matches('deciding') ||
    snapshot.matches('releasing')
  ) {
    return (
      <Button
        variant="default"
        loading={snapshot.matches('releasing')}
        rightSection={<Kbd size="xs">u</Kbd>}
        onClick={release}
      >
        {t('review.release')}
      </Button>
    );
  }
  const { allowed, code, sentence, values } = reasons.claim;
  const refused =
    allowed || (standing === 'open' && (code === 'AlreadyClaimed' || code === 'NotClaimedByYou'))
      ? null
      : sentence;
  const because =
    refused && refusalMessage(t, i18n.language, { code: code ?? '', message: refused, values });
  return (
    <ButtonWithReason
      disabledReason={because}
      shortcut="c"
      loading={snapshot.matches('claiming')}
      onClick={claim}
    >
      {t(snapshot.matches('lost') ? 'review.claimAgain' : 'review.claim')}
    </ButtonWithReason>
  );
}
