// The header of a review, with claim and release.
import { Button, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { queueLabel, refusalMessage } from '../../lib/labels';
import { groupedAmount } from '../../lib/money';
import { ButtonWithReason } from '../../ui/buttons';
import { CaseAmount } from '../../ui/CaseAmount';
import { UncertainMark } from '../../ui/Counterparty';
import { MissingFacts } from '../../ui/MissingFacts';
import { Badge, StatusBadge } from '../../ui/StatusBadge';
import { shortcutProps } from '../../ui/shortcut';
import { ReviewDeadline } from '../../ui/values';
import { AmountDue } from './AmountDue';
import { ReviewStep, useCachedReviews } from './OtherReviews';
import { PaidTo } from './PaidTo';
import classes from './review.module.css';
import type { ReadableReview, Reasons } from './review-facts';
import type { ReviewWorkspaceState } from './use-review';

interface ReviewHeaderProps {
  review: ReadableReview;
  workspace: ReviewWorkspaceState;
  reasons: Reasons;
}

export function ReviewHeader({ review, workspace, reasons }: ReviewHeaderProps) {
  const { t } = useTranslation();
  const reviewCase = review.case;
  const { own } = useCachedReviews(review);
  // Of a review that the user may no longer read, the page has only an earlier state.
  const { withdrawn } = workspace.snapshot.context;
  const undecided = !withdrawn && (review.status === 'OPEN' || review.status === 'CLAIMED');
  return (
    <div className={classes.heading}>
      <div>
        <Title order={1} tabIndex={-1} title={reviewCase.counterparty}>
          {reviewCase.counterparty || t('review.unnamed', { reference: reviewCase.reference })}{' '}
          <UncertainMark of={reviewCase} />
        </Title>
        <Text c="dimmed" size="sm" component="div" className={classes.facts}>
          <Link to="/cases/$id" params={{ id: reviewCase.reference }} title={t('review.case')}>
            {reviewCase.reference}
          </Link>
          <strong>
            <CaseAmount amounts={reviewCase} />
          </strong>
          <AmountDue reviewCase={reviewCase} />
          <PaidTo order={reviewCase.order} title={reviewCase.counterparty} />
          <DeclaredAmount review={review} />
          {!withdrawn && <StatusBadge status={reviewCase.status} />}
          <MissingFacts facts={reviewCase.missing} />
          {reviewCase.risk !== null && (
            <span>
              {reviewCase.assessed
                ? t('review.risk', { points: reviewCase.risk })
                : t('caseLabels.notAssessed')}
            </span>
          )}
          <span>{t('review.queueName', { name: queueLabel(t, review.queue) })}</span>
          <ReviewStep review={review} />
          {reviewCase.submitter && (
            <span className={classes.person} title={reviewCase.submitter.name}>
              {t('review.submittedBy', { name: reviewCase.submitter.name })}
            </span>
          )}
          {undecided && <ReviewDeadline review={{ ...review, endsAt: own?.endsAt }} />}
          {undecided && review.overdue && (
            <Badge tone="bad" icon="clock">
              {t('review.overdue')}
            </Badge>
          )}
        </Text>
      </div>
      <Actions workspace={workspace} reasons={reasons} />
    </div>
  );
}

/** The amount that the submitter declared, if no other amount shows it. */
function DeclaredAmount({ review: { case: reviewCase } }: { review: ReadableReview }) {
  const { t, i18n } = useTranslation();
  const { amount, amountAtRisk, declaredAmount: declared } = reviewCase;
  const shown = [amount, amountAtRisk].some(
    (one) => one?.amount === declared?.amount && one?.currency === declared?.currency,
  );
  if (!declared || shown) return null;
  const formatted = `${groupedAmount(declared.amount, i18n.language)} ${declared.currency}`;
  return <span>{t('review.declared', { amount: formatted })}</span>;
}

function Actions({ workspace, reasons }: Omit<ReviewHeaderProps, 'review'>) {
  const { t, i18n } = useTranslation();
  const { snapshot, claim, release, skip } = workspace;
  const { viewerStatus } = snapshot.context.serverState;
  if (snapshot.matches('done') || snapshot.matches('closed')) return null;
  if (
    snapshot.matches('mine') ||
    snapshot.matches('saving') ||
    snapshot.matches('deciding') ||
    snapshot.matches('releasing')
  ) {
    return (
      <Group gap="xs" wrap="nowrap">
        <Button
          variant="default"
          title={t('review.skipText')}
          disabled={!snapshot.can({ type: 'RELEASE' })}
          {...shortcutProps('s')}
          onClick={() => void skip()}
        >
          {t('review.skip')}
        </Button>
        <Button
          variant="default"
          loading={snapshot.matches('releasing')}
          {...shortcutProps('u')}
          onClick={release}
        >
          {t('review.release')}
        </Button>
      </Group>
    );
  }
  const { allowed, code, sentence, values } = reasons.claim;
  const refused =
    allowed ||
    (viewerStatus === 'open' && (code === 'AlreadyClaimed' || code === 'NotClaimedByYou'))
      ? null
      : sentence;
  const disabledReason =
    refused && refusalMessage(t, i18n.language, { code: code ?? '', message: refused, values });
  return (
    <ButtonWithReason
      disabledReason={disabledReason}
      shortcut="c"
      loading={snapshot.matches('claiming')}
      onClick={claim}
    >
      {t(snapshot.matches('lost') ? 'review.claimAgain' : 'review.claim')}
    </ButtonWithReason>
  );
}
