// Whether an approval is asked for, or given by one key because it can be undone.
import { openRequirements } from './approval-requirements';
import {
  declaredOtherwise,
  fieldsToCheck,
  missingRequired,
  type ReadableReview,
  unexplainedFindings,
} from './review-facts';
import type { Verdict } from './review-values';

/** A key that comes sooner after the review was shown may be meant for the one before it. */
export const lookTime = 1_000;

type Facts = Pick<ReadableReview, 'undoable' | 'signatureRequired' | 'approval' | 'duty' | 'case'>;

/** Whether the verdict can be undone for a short time; the window of bulk approvals is for one's own name. */
export function canBeUndone(
  { undoable }: Pick<Facts, 'undoable'>,
  verdict: Verdict,
  onBehalfOf: string | null,
): boolean {
  if (!undoable.some((one) => one === verdict)) return false;
  return onBehalfOf === null || undoable.length > 1;
}

/**
 * Whether an approval needs no question: it can be undone, it is in the user's own name, and there is
 * nothing to sign, to explain, to enter or to check, no warning, and no other declared amount.
 */
export function needsNoQuestion(review: Facts, onBehalfOf: string | null): boolean {
  const { fieldForm, approvalRequirements } = review.case;
  return (
    onBehalfOf === null &&
    canBeUndone(review, 'APPROVE', null) &&
    !review.signatureRequired &&
    review.approval.allowed &&
    openRequirements(approvalRequirements).length === 0 &&
    missingRequired(fieldForm).length === 0 &&
    fieldsToCheck(review.case, null).length === 0 &&
    unexplainedFindings(review.case).length === 0 &&
    declaredOtherwise(review.case) === null
  );
}
