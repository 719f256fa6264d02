// The preview of how a reassignment would change the reviewers' workload.
import { useQuery } from 'urql';
import { ReassignPreview } from './reassign.graphql';

/** The server previews at most this number of reviews. */
const previewLimit = 200;

export function useReassignImpact(ids: readonly string[], to: string | null) {
  const reviewIds = ids.slice(0, previewLimit);
  const [{ data, error, fetching }] = useQuery({
    query: ReassignPreview,
    variables: { reviewIds, to },
    pause: reviewIds.length === 0,
    requestPolicy: 'network-only',
  });
  return {
    impact: fetching || reviewIds.length === 0 ? null : (data?.reassignPreview ?? null),
    error,
    previewed: reviewIds.length,
    count: ids.length,
  };
}
