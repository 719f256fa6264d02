// Asks for a verdict. An approval that can be undone is given without a question, and the next review
// is opened.
import { useEffect, useState } from 'react';
import { offerUndo } from '../../lib/undoable';
import { lookTime, needsNoQuestion } from './quick-approval';
import type { ReadableReview } from './review-facts';
import type { Verdict } from './review-values';
import type { NextReview } from './use-next-review';
import type { ReviewWorkspaceState } from './use-review';

interface AskInput {
  review: ReadableReview;
  workspace: ReviewWorkspaceState;
  next: NextReview;
  me: string | null;
  onBehalfOf: string | null;
}

export function useAsk({ review, workspace, next, me, onBehalfOf }: AskInput) {
  const [looked, setLooked] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLooked(true), lookTime);
    return () => clearTimeout(timer);
  }, []);
  useOfferUndo(review, me);
  const quick = looked && needsNoQuestion(review, onBehalfOf);
  const ask = (verdict: Verdict) => {
    workspace.ask(verdict);
    if (verdict !== 'APPROVE' || !quick) return;
    next.claimAfterwards();
    workspace.decide();
  };
  return { ask, quick };
}

/** Offers to undo a decision of the user that has not taken effect, also after a reload. */
function useOfferUndo(review: ReadableReview, me: string | null): void {
  const { id, undoUntil, decision } = review;
  const { reference } = review.case;
  const mine = me !== null && decision?.actor?.id === me;
  const reason = decision?.reason ?? '';
  useEffect(() => {
    if (mine && undoUntil) offerUndo({ reviewId: id, reference, until: undoUntil, reason });
  }, [id, reference, undoUntil, mine, reason]);
}
