// In whose name the person acts on a review: their own, or one that was lent to them.
import { useState } from 'react';
import type { Reasons, ReviewWithReasons } from './review-facts';

export interface ActingIdentity {
  /** Null is one's own. */
  id: string | null;
  name: string;
}

export interface ActingAs {
  chosen: ActingIdentity | null;
  /** Whose names beside one's own; empty = there is nothing to choose. */
  delegators: readonly ActingIdentity[];
  /** Whether one may act in one's own name. */
  mayActAsSelf: boolean;
  choose: (id: string | null) => void;
  /** What stands in the way in the chosen name. Of a lent one it is known that it may act now. */
  reasons: Reasons;
}

const allowed = { allowed: true, code: null, wayOut: null } as const;

/** Begins with one's own name where one may act in it, else with the first that was lent. */
export function useActingAs(review: ReviewWithReasons, mine: boolean): ActingAs {
  const [selected, select] = useState<string | null | undefined>(undefined);
  const { claim, decide, escalate, standInFor } = review;
  const explanation = mine ? decide : claim;
  const mayActAsSelf =
    explanation.allowed ||
    explanation.code === 'AlreadyClaimed' ||
    explanation.code === 'NotClaimedByYou';
  const selectedDelegator = standInFor.find(({ id }) => id === selected);
  const chosen =
    selectedDelegator ??
    (selected === undefined && !mayActAsSelf ? standInFor[0] : undefined) ??
    null;
  return {
    chosen,
    delegators: standInFor,
    mayActAsSelf,
    choose: select,
    reasons: chosen
      ? {
          claim: { ...claim, ...allowed },
          decide: { ...decide, ...allowed },
          escalate: { ...escalate, ...allowed },
        }
      : { claim, decide, escalate },
  };
}
