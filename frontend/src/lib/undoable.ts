// The user's decisions that can still be undone. They outlive the page of their review.
import { makeStore } from './store';

export interface UndoableDecision {
  reviewId: string;
  reference: string;
  /** The decision takes effect at this time. */
  until: string;
  /** The reason that was written; it is the draft of the review again. */
  reason: string;
}

/** Oldest first. */
export const undoableDecisions = makeStore<readonly UndoableDecision[]>([]);

export function forgetUndo(reviewId: string): void {
  const all = undoableDecisions.get();
  undoableDecisions.set(all.filter((one) => one.reviewId !== reviewId));
}

/** Offers to undo the decision, unless its time has ended. */
export function offerUndo(decision: UndoableDecision, now: number = Date.now()): void {
  if (Date.parse(decision.until) <= now) return;
  forgetUndo(decision.reviewId);
  undoableDecisions.set([...undoableDecisions.get(), decision]);
}
