// The supporting documents beside a review. They have a query of their own, because that of the review is large.
import { useQuery } from 'urql';
import { ReviewSupporting } from './supporting.graphql';

export type SupportingState = ReturnType<typeof useSupporting>;

export function useSupporting(caseId: string) {
  const [{ data, error }, refetch] = useQuery({
    query: ReviewSupporting,
    variables: { id: caseId },
    requestPolicy: 'cache-and-network',
  });
  const found = data?.case;
  return {
    /** Null until they are loaded. */
    documents: found ? found.supportingDocuments : null,
    /** The numbers of those that the user opened, as a file or page. */
    opened: (found?.supportingReadings ?? []).filter((one) => one.opened).map((one) => one.number),
    failure: data ? null : (error ?? null),
    reread: () => refetch({ requestPolicy: 'network-only' }),
  };
}
