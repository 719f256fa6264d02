// The page of a review: the document next to its fields, and the decision.
import { Button } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCaseEvents } from '../../graphql/live';
import { isReference } from '../../lib/reference';
import { isUnreadable } from '../../lib/refusals';
import { WithLastChange } from '../../ui/LastChange';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { namedReview } from './named-review';
import { ReviewsOfCase } from './named-review.graphql';
import { ReviewWorkspace } from './ReviewWorkspace';
import { ReviewPageData } from './review.graphql';
import { isReturnedByClaim, opened } from './use-next-review';

export function ReviewPage() {
  const { id } = useParams({ from: '/signed-in/reviews/$id' });
  if (isReference(id)) return <NamedReview key={id} reference={id} />;
  return <ReviewLoader key={id} id={id} />;
}

/** The review of the case with the reference. It stays the same while the page is open. */
function NamedReview({ reference }: { reference: string }) {
  const { t } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: ReviewsOfCase,
    variables: { reference },
    requestPolicy: 'network-only',
  });
  const [id, setId] = useState<string | null>(null);
  const reviews = data?.case?.reviews;
  if (id === null && reviews) {
    const named = namedReview(reviews, data.viewer?.person.id ?? null);
    if (named) setId(named);
  }
  if (id) return <ReviewLoader key={id} id={id} />;
  return (
    <>
      <PageHeader title={t('titles.review')} />
      {error && (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
      )}
      {!error && !data && <LoadingState lines={10} />}
      {!error && data && <NoReview />}
    </>
  );
}

function ReviewLoader({ id }: { id: string }) {
  const { t } = useTranslation();
  // Loaded from the server, because the cache does not have a draft saved in another window.
  const [returned] = useState(() => isReturnedByClaim(id));
  useEffect(() => opened(id), [id]);
  const [{ data, error, fetching }, refetch] = useQuery({
    query: ReviewPageData,
    variables: { id },
    requestPolicy: returned ? 'cache-first' : 'network-only',
  });
  const reload = useCallback(() => refetch({ requestPolicy: 'network-only' }), [refetch]);
  // Keep the last data if a reload fails or arrives after the session has ended, because without a
  // viewer the review would look like another user's.
  const [lastData, setLastData] = useState(data?.viewer ? data : undefined);
  if (data?.review && data.viewer && data !== lastData) setLastData(data);
  // The review has ended elsewhere, or the user has a conflict of interest, and may no longer read its case.
  const unreadable =
    error === undefined
      ? data?.viewer != null && data.review === null
      : isUnreadable(error, 'review');
  const withdrawn = unreadable && lastData !== undefined;
  const [visits, setVisits] = useState({ withdrawn, count: 0 });
  if (withdrawn !== visits.withdrawn)
    setVisits({ withdrawn, count: visits.count + (withdrawn ? 0 : 1) });
  const review = lastData?.review;
  const reviewCase = review?.case;
  const events = useCaseEvents(reviewCase?.id ?? null, reviewCase?.cursor, reload);
  if (review && reviewCase) {
    const me = lastData.viewer?.person.id ?? null;
    return (
      <WithLastChange events={events}>
        <ReviewWorkspace
          // Shown again after it was withdrawn, it is another piece of work.
          key={visits.count}
          review={{ ...review, case: reviewCase }}
          stored={review.draft}
          reviewWithReasons={review}
          me={me}
          events={events}
          reread={reload}
          withdrawn={withdrawn}
        />
      </WithLastChange>
    );
  }
  return (
    <>
      <PageHeader title={t('titles.review')} />
      {error && <ErrorState error={error} onRetry={reload} />}
      {!error && (fetching || data === undefined) && <LoadingState lines={10} />}
      {!error && !fetching && data !== undefined && <NoReview />}
    </>
  );
}

function NoReview() {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon="search"
      title={t('review.notFoundTitle')}
      action={
        <Button variant="default" renderRoot={(props) => <Link {...props} to="/queue" />}>
          {t('review.toQueue')}
        </Button>
      }
    >
      {t('review.notFoundText')}
    </EmptyState>
  );
}
