// The earlier and the parallel reviews of the case, one line each.
import { Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { queueLabel } from '../../lib/labels';
import { stepName } from '../../lib/step-name';
import { Timestamp } from '../../ui/values';
import { CaseReviews } from './compare.graphql';
import classes from './review.module.css';
import type { ReadableReview } from './review-facts';

/** The reviews of the case that OtherReviews has read, and among them the review itself. */
export function useCachedReviews(review: ReadableReview) {
  const [{ data }] = useQuery({
    query: CaseReviews,
    variables: { id: review.case.id },
    requestPolicy: 'cache-only',
  });
  const reviews = data?.case?.reviews ?? [];
  return { reviews, own: reviews.find(({ id }) => id === review.id) };
}

/**
 * The step of the review and its place among those that ask several reviewers together: "Vote 2 of 5" counts the
 * votes that were cast, which everyone sees also if the votes are hidden.
 */
export function ReviewStep({ review }: { review: ReadableReview }) {
  const { t, i18n } = useTranslation();
  const { own, reviews } = useCachedReviews(review);
  const { committee } = review;
  const seat = seatOf(review.id, reviews);
  return (
    <>
      {own && <span data-step>{t('review.step', { name: stepName(i18n.language, own) })}</span>}
      {committee && committee.decideBy !== 'first_rejection' ? (
        <span>{t('review.vote', { number: committee.cast + 1, count: committee.seats })}</span>
      ) : (
        seat && <span>{t('review.seat', seat)}</span>
      )}
    </>
  );
}

/** Reviews of one step that were created together are the seats of one question. */
export function seatOf(
  id: string,
  reviews: readonly { id: string; node: string; createdAt: string; status: string }[],
): { number: number; count: number } | null {
  const own = reviews.find((one) => one.id === id);
  const seats = reviews
    .filter(({ node, createdAt }) => node === own?.node && createdAt === own.createdAt)
    .filter(({ status }) => status !== 'CANCELLED')
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const number = seats.findIndex((one) => one.id === id) + 1;
  return number > 0 && seats.length > 1 ? { number, count: seats.length } : null;
}

export function OtherReviews({ review }: { review: ReadableReview }) {
  const { t, i18n } = useTranslation();
  const [{ data }, refetch] = useQuery({
    query: CaseReviews,
    variables: { id: review.case.id },
    requestPolicy: 'cache-and-network',
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each version can have other reviews
  useEffect(() => refetch({ requestPolicy: 'network-only' }), [review.case.version]);
  const others = (data?.case?.reviews ?? []).filter(({ id }) => id !== review.id);
  if (others.length === 0) return null;
  return (
    <section className="cs-card" aria-labelledby="other-reviews">
      <Title order={2} id="other-reviews" fz="md">
        {t('review.others.title')}
      </Title>
      <ul className={classes.otherReviews}>
        {others.map(({ id, queue, status, assignee, decision, voteHidden, ...one }) => (
          <li key={id}>
            <Text size="sm" span fw={560}>
              {stepName(i18n.language, one)} ({queueLabel(t, queue)})
            </Text>{' '}
            <Text size="sm" span>
              {decision
                ? t('review.others.decided', {
                    verdict: t(`review.verdicts.${decision.verdict}`),
                    name: decision.actor?.name ?? '',
                  })
                : t(`review.others.${voteHidden ? 'voted' : status}`, {
                    name: assignee?.name ?? '',
                  })}
            </Text>{' '}
            {decision && (
              <Text size="xs" span c="dimmed">
                <Timestamp iso={decision.at} as="moment" />
              </Text>
            )}
            {decision?.reason && (
              <Text size="sm" className={classes.reason} lineClamp={2}>
                {decision.reason}
              </Text>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
