// Claims and opens the next review of the user's queues.
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type CombinedError, useMutation } from 'urql';
import { isLost, useResend } from '../../graphql/resend';
import { newKey } from '../../lib/keys';
import type { Refusal } from '../../lib/refusals';
import { mostSkipped, skip, skipped } from '../../lib/skipped';
import { ClaimNextReview } from './next.graphql';

/** The reviews that a claim has just returned, until their page opens. */
const returnedByClaim = new Set<string>();

/** Whether a claim has just returned the review with everything that its page shows. */
export const isReturnedByClaim = (id: string): boolean => returnedByClaim.has(id);

/** The page of the review is open; from now on it is loaded from the server. */
export function opened(id: string): void {
  returnedByClaim.delete(id);
}

/** The reviews that are not next: those that were skipped, and the one that is open. */
const withoutPresent = (present: string): string[] =>
  [...skipped.get().filter((id) => id !== present), present].slice(-mostSkipped);

export interface NextReview {
  claim: () => void;
  /** Claims it once this review is decided. */
  claimAfterwards: () => void;
  /** Claims another review than this one, which is not claimed again; without another the queue opens. */
  skip: () => void;
  busy: boolean;
  refusals: readonly Refusal[];
  error: CombinedError | null;
}

/** The result of a claim. */
export interface Claimed {
  review: { id: string } | null;
  userErrors: readonly Refusal[];
}

export interface NextReviewState extends NextReview {
  /** The claim to send together with a decision; null if no next review is wanted. */
  claimWithDecision: () => {
    afterReview: string;
    skip: string[];
    claimedFirst: boolean;
    idempotencyKey: string;
  } | null;
  /** The decision has been refused or has failed: no review is claimed afterwards. */
  onNotDecided: () => void;
  /**
   * The review is decided; `claimed` is the result of a claim sent with the decision. Returns whether
   * the next review opens. If a claim has yet to tell, it is true, and this review is read again when
   * no other opens.
   */
  onDecided: (claimed: Claimed | null) => boolean;
}

/** Claims the next review and opens its page. `reread` reads the present one again. */
export function useNextReview(present: string, reread: () => void): NextReviewState {
  const wanted = useRef(false);
  const [, run] = useMutation(ClaimNextReview);
  const navigate = useNavigate();
  const key = useRef(newKey());
  const resend = useResend();
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<{
    refusals: readonly Refusal[];
    error: CombinedError | null;
  }>({
    refusals: [],
    error: null,
  });
  /** Opens the claimed review, or keeps why there is none. */
  const open = (claimed: Claimed | null | undefined, error: CombinedError | null) => {
    // Without a result the same claim is resent with its key; with one, the next claim gets a new
    // key.
    if (claimed) key.current = newKey();
    if (!claimed?.review) {
      setResult({ refusals: claimed?.userErrors ?? [], error });
      return false;
    }
    const { id } = claimed.review;
    returnedByClaim.add(id);
    void navigate({ to: '/reviews/$id', params: { id } });
    return true;
  };
  const claim = async () => {
    if (busy) return false;
    const input = {
      skip: withoutPresent(present),
      claimedFirst: true,
      idempotencyKey: key.current,
    };
    let opens = false;
    await resend(async () => {
      setBusy(true);
      const { data, error } = await run({ input });
      setBusy(false);
      opens = open(data?.claimNextReview, error ?? null);
      return isLost(error);
    });
    return opens;
  };
  return {
    claim: () => void claim(),
    claimAfterwards: () => {
      wanted.current = true;
    },
    skip: () => {
      skip(present);
      key.current = newKey(); // the reviews to skip are others than in a claim that had no answer
      void claim().then((opens) => {
        if (!opens) void navigate({ to: '/queue' });
      });
    },
    claimWithDecision: () =>
      wanted.current
        ? {
            afterReview: present,
            skip: [...skipped.get()],
            claimedFirst: true,
            idempotencyKey: key.current,
          }
        : null,
    onNotDecided: () => {
      wanted.current = false;
    },
    onDecided: (claimed) => {
      const claims = wanted.current;
      wanted.current = false;
      if (claimed) return open(claimed, null);
      if (claims) void claim().then((opens) => opens || reread());
      return claims;
    },
    busy,
    ...result,
  };
}
