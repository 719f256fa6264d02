// The document beside its fields, and the decision.
import { Button } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCaseEvents } from '../../graphql/live';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { Desk } from './Desk';
import { ReviewPageData } from './review.graphql';

export function ReviewPage() {
  const { id } = useParams({ from: '/signed-in/reviews/$id' });
  return <OneReview key={id} id={id} />;
}

function OneReview({ id }: { id: string }) {
  const { t } = useTranslation();
  // Always asked anew: a draft that was kept from another window is not in this page's memory.
  const [{ data, error, fetching }, ask] = useQuery({
    query: ReviewPageData,
    variables: { id },
    requestPolicy: 'network-only',
  });
  const reread = useCallback(() => ask({ requestPolicy: 'network-only' }), [ask]);
  // A reading that fails takes nothing away from who is at work: what was read last stays. Nor does one that came after
  // the session ended, in which the page would be nobody's and every review somebody else's.
  const [known, setKnown] = useState(data?.viewer ? data : undefined);
  if (data?.review && data.viewer && data !== known) setKnown(data);
  const review = known?.review;
  const kase = review?.case;
  const events = useCaseEvents(kase?.id ?? null, kase?.cursor, reread);
  if (review && kase) {
    const me = known.viewer?.person.id ?? null;
    return (
      <Desk
        review={{ ...review, case: kase }}
        stored={review.draft}
        whole={review}
        me={me}
        events={events}
        reread={reread}
      />
    );
  }
  return (
    <>
      <PageHeader title={t('review.title')} />
      {error && <ErrorState error={error} onRetry={reread} />}
      {!error && (fetching || data === undefined) && <LoadingState lines={10} />}
      {!error && !fetching && data !== undefined && (
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
      )}
    </>
  );
}
