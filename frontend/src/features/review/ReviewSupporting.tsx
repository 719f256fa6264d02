// The supporting documents beside a review. They have a query of their own, because that of the review is large.
import { useQuery } from 'urql';
import { ErrorState } from '../../ui/states';
import { SupportingDocuments } from '../../ui/supporting/SupportingDocuments';
import { ReviewSupporting as ReviewSupportingQuery } from './supporting.graphql';

export function ReviewSupporting({ caseId }: { caseId: string }) {
  const [{ data, error }, refetch] = useQuery({
    query: ReviewSupportingQuery,
    variables: { id: caseId },
    requestPolicy: 'cache-and-network',
  });
  // A reviewer must not believe that there are none.
  if (error && !data)
    return <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />;
  return <SupportingDocuments documents={data?.case?.supportingDocuments ?? []} />;
}
