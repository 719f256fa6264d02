import { offerUndo } from '../../lib/undoable';
import type { Review } from './review-facts';

/** Offers to undo a decision of the user that has not taken effect. */
export function offerUndoOf(review: Review, me: string | null): void {
  const { id, undoUntil, decision } = review;
  if (me === null || decision?.actor?.id !== me || !undoUntil || !review.case) return;
  const { reference } = review.case;
  offerUndo({ reviewId: id, reference, until: undoUntil, reason: decision.reason ?? '' });
}
