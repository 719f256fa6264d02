// The supporting documents beside a review.
import { useSupportingReadings } from '../../graphql/supporting-readings';
import { ErrorState } from '../../ui/states';
import { SupportingDocuments } from '../../ui/supporting/SupportingDocuments';
import type { SupportingState } from './use-supporting';

export function ReviewSupporting({ caseId, state }: { caseId: string; state: SupportingState }) {
  const viewer = useSupportingReadings(caseId, state.reread);
  // A reviewer must not believe that there are none.
  if (state.failure) return <ErrorState error={state.failure} onRetry={state.reread} />;
  return <SupportingDocuments documents={state.documents ?? []} viewer={viewer} />;
}
