import { offerUndo } from '../../lib/undoable';

/** A review with what offers to undo its decision. */
interface Decided {
  id: string;
  undoUntil: string | null;
  decision: { reason: string; actor: { id: string } | null } | null;
  case: { reference: string } | null;
}

/** Offers to undo a decision of the user that has not taken effect. */
export function offerUndoOf(review: Decided, me: string | null): void {
  const { id, undoUntil, decision } = review;
  if (me === null || decision?.actor?.id !== me || !undoUntil || !review.case) return;
  const { reference } = review.case;
  offerUndo({ reviewId: id, reference, until: undoUntil, reason: decision.reason });
}
