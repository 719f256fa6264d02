// Asks for a verdict. An approval that can be undone is given without a question, and the next review
// is opened.
import { useEffect, useState } from 'react';
import { offerUndoOf } from './offer-undo';
import { lookTime, needsNoQuestion } from './quick-approval';
import type { ReadableReview } from './review-facts';
import type { Verdict } from './review-values';
import type { NextReview } from './use-next-review';
import type { ReviewWorkspaceState } from './use-review';
import type { SupportingState } from './use-supporting';

interface AskInput {
  review: ReadableReview;
  supporting: SupportingState;
  workspace: ReviewWorkspaceState;
  next: NextReview;
  me: string | null;
  onBehalfOf: string | null;
  stopped: (verdict: Verdict) => boolean;
}

export function useAsk({ review, supporting, workspace, next, me, onBehalfOf, stopped }: AskInput) {
  const [looked, setLooked] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLooked(true), lookTime);
    return () => clearTimeout(timer);
  }, []);
  // Also after a reload of the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: offered once for each decision
  useEffect(() => offerUndoOf(review, me), [review.id, review.undoUntil, me]);
  // Documents whose values are not read are a question of their own, also while it is unknown if there are any.
  const { documents, reread } = supporting;
  const quick = looked && documents?.length === 0 && needsNoQuestion(review, onBehalfOf);
  const ask = (verdict: Verdict) => {
    if (stopped(verdict)) return;
    workspace.ask(verdict);
    if (documents?.length !== 0) reread();
    if (verdict !== 'APPROVE' || !quick) return;
    next.claimAfterwards();
    workspace.decide();
  };
  return { ask, quick };
}
