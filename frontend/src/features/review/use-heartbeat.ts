// The heartbeat of a claim: it prevents the claim from expiring while its page is visible.
import { useEffect, useRef } from 'react';
import { useClient } from 'urql';
import { useSignedIn } from '../../lib/session';
import { HeartbeatReview } from './review.graphql';

const minInterval = 5_000;
const maxInterval = 5 * 60_000;

/** The delay until the next heartbeat: a third of the claim's remaining time, within bounds. */
export function untilNextBeat(claimUntil: string | null, now: number): number {
  const remaining = claimUntil === null ? 0 : Date.parse(claimUntil) - now;
  return Math.max(minInterval, Math.min(maxInterval, remaining / 3));
}

/**
 * Sends heartbeats while the user holds the review. `onClaimLost` is called when the server reports
 * that the claim is gone.
 */
export function useHeartbeat(
  reviewId: string,
  holdsClaim: boolean,
  claimUntil: string | null,
  onClaimLost: () => void,
): void {
  const client = useClient();
  const signedIn = useSignedIn();
  const until = useRef(claimUntil);
  const claimLostHandler = useRef(onClaimLost);
  useEffect(() => {
    if (claimUntil !== null && claimUntil > (until.current ?? '')) until.current = claimUntil;
    claimLostHandler.current = onClaimLost;
  });
  useEffect(() => {
    if (!holdsClaim || !signedIn) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopped = false;
    const schedule = () => {
      clearTimeout(timer);
      if (!stopped && document.visibilityState === 'visible') {
        timer = setTimeout(() => void beat(), untilNextBeat(until.current, Date.now()));
      }
    };
    const beat = async () => {
      const { data } = await client.mutation(HeartbeatReview, { input: { reviewId } }).toPromise();
      if (stopped) return;
      if (data?.heartbeatReview.claimUntil) until.current = data.heartbeatReview.claimUntil;
      if (data?.heartbeatReview.userErrors.some(({ code }) => code === 'NotClaimedByYou'))
        claimLostHandler.current();
      else schedule();
    };
    const handleVisibility = () => {
      if (document.visibilityState === 'visible') void beat();
      else clearTimeout(timer);
    };
    schedule();
    document.addEventListener('visibilitychange', handleVisibility);
    return () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', handleVisibility);
    };
  }, [client, reviewId, holdsClaim, signedIn]);
}
