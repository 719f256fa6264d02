// Claims and opens the next review of the user's queues.
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type CombinedError, useMutation } from 'urql';
import { newKey } from '../../lib/keys';
import type { Refusal } from '../../lib/refusals';
import { ClaimNextReview } from './review.graphql';

/** The reviews that a claim has just returned, until their page opens. */
const returnedByClaim = new Set<string>();

/** Whether a claim has just returned the review with everything that its page shows. */
export const isReturnedByClaim = (id: string): boolean => returnedByClaim.has(id);

/** The page of the review is open; from now on it is loaded from the server. */
export function opened(id: string): void {
  returnedByClaim.delete(id);
}

export interface NextReview {
  claim: () => void;
  /** Claims it once this review is decided. */
  claimAfterwards: () => void;
  busy: boolean;
  refusals: readonly Refusal[];
  error: CombinedError | null;
}

export function useNextReview(
  after: string,
): NextReview & { onDecided: (decided: boolean) => void } {
  const wanted = useRef(false);
  const [, run] = useMutation(ClaimNextReview);
  const navigate = useNavigate();
  const key = useRef({ after, key: newKey() });
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<{
    refusals: readonly Refusal[];
    error: CombinedError | null;
  }>({
    refusals: [],
    error: null,
  });
  const claim = async () => {
    if (busy) return;
    setBusy(true);
    const { data, error } = await run({ input: { idempotencyKey: key.current.key } });
    setBusy(false);
    // Without a response the same claim is resent with its key; with one, the next claim gets a new
    // key.
    if (data) key.current = { after, key: newKey() };
    const payload = data?.claimNextReview;
    setResult({ refusals: payload?.userErrors ?? [], error: error ?? null });
    if (!payload?.review) return;
    const { id } = payload.review;
    returnedByClaim.add(id);
    void navigate({ to: '/reviews/$id', params: { id } });
  };
  return {
    claim: () => void claim(),
    claimAfterwards: () => {
      wanted.current = true;
    },
    /** Called when the command has ended. */
    onDecided: (decided: boolean) => {
      if (decided && wanted.current) void claim();
      wanted.current = false;
    },
    busy,
    ...result,
  };
}
