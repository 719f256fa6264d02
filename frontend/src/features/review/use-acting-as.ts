// On whose behalf the user acts on a review: their own, or a delegator's.
import { useState } from 'react';
import type { Reasons, ReviewWithReasons } from './review-facts';

export interface ActingIdentity {
  /** Null is the user. */
  id: string | null;
  name: string;
}

export interface ActingAs {
  chosen: ActingIdentity | null;
  /** The delegators; empty if there is no choice. */
  delegators: readonly ActingIdentity[];
  /** Whether the user may act for themselves. */
  mayActAsSelf: boolean;
  choose: (id: string | null) => void;
  /**
   * The availability of the actions for the chosen identity. A delegator is listed only if acting
   * for them is permitted now.
   */
  reasons: Reasons;
}

const allowed = { allowed: true, code: null, remedy: null } as const;

/** Starts with the user themselves if permitted, otherwise with the first delegator. */
export function useActingAs(review: ReviewWithReasons, mine: boolean): ActingAs {
  const [selected, select] = useState<string | null | undefined>(undefined);
  const { claim, decide, escalate, correct, delegators } = review;
  const explanation = mine ? review.return : claim;
  const mayActAsSelf =
    explanation.allowed ||
    explanation.code === 'AlreadyClaimed' ||
    explanation.code === 'NotClaimedByYou';
  const selectedDelegator = delegators.find(({ id }) => id === selected);
  const chosen =
    selectedDelegator ??
    (selected === undefined && !mayActAsSelf ? delegators[0] : undefined) ??
    null;
  return {
    chosen,
    delegators,
    mayActAsSelf,
    choose: select,
    reasons: chosen
      ? {
          claim: { ...claim, ...allowed },
          decide: { ...decide, ...allowed },
          return: { ...review.return, ...allowed },
          escalate: { ...escalate, ...allowed },
          correct: { ...correct, ...allowed },
        }
      : { claim, decide, return: review.return, escalate, correct },
  };
}
