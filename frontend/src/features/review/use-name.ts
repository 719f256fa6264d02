// In whose name the person acts on a review: their own, or one that was lent to them.
import { useState } from 'react';
import type { Reasons, ReviewWithReasons } from './review-facts';

export interface Name {
  /** Null is one's own. */
  id: string | null;
  name: string;
}

export interface ActingName {
  chosen: Name | null;
  /** Whose names beside one's own; empty = there is nothing to choose. */
  lent: readonly Name[];
  /** Whether one may act in one's own name. */
  own: boolean;
  choose: (id: string | null) => void;
  /** What stands in the way in the chosen name. Of a lent one it is known that it may act now. */
  reasons: Reasons;
}

const free = { allowed: true, code: null, wayOut: null } as const;

/** Begins with one's own name where one may act in it, else with the first that was lent. */
export function useName(review: ReviewWithReasons, mine: boolean): ActingName {
  const [picked, pick] = useState<string | null | undefined>(undefined);
  const { claim, decide, escalate, standInFor } = review;
  const said = mine ? decide : claim;
  const own = said.allowed || said.code === 'AlreadyClaimed' || said.code === 'NotClaimedByYou';
  const found = standInFor.find(({ id }) => id === picked);
  const chosen = found ?? (picked === undefined && !own ? standInFor[0] : undefined) ?? null;
  return {
    chosen,
    lent: standInFor,
    own,
    choose: pick,
    reasons: chosen
      ? {
          claim: { ...claim, ...free },
          decide: { ...decide, ...free },
          escalate: { ...escalate, ...free },
        }
      : { claim, decide, escalate },
  };
}
