// Restarts a subscription that the server has ended.
import { useEffect, useRef } from 'react';
import { failureOf, transientCodes } from '../lib/refusals';

type SubscriptionError = Parameters<typeof failureOf>[0];

const maxDelay = 8_000;

/**
 * The delay before the next attempt, in milliseconds, longer after each failure; null after a
 * permanent error, such as a refusal or an unknown id, because a retry would get the same one.
 */
export function resubscribeDelay(error: SubscriptionError, failures: number): number | null {
  const { code } = failureOf(error);
  // The cause of an internal error is unknown, so it may be temporary.
  if (!transientCodes.has(code) && code !== 'Internal') return null;
  return Math.min(maxDelay, 500 * 2 ** failures);
}

/**
 * Resubscribes with a growing delay after a transient error, because the server ends subscriptions
 * when it restarts or is busy.
 */
export function useResubscribe(
  error: SubscriptionError | undefined,
  resubscribe: () => void,
): void {
  const failures = useRef(0);
  useEffect(() => {
    const delay = error ? resubscribeDelay(error, failures.current) : null;
    if (delay === null) return;
    failures.current++;
    const timer = setTimeout(resubscribe, delay);
    return () => clearTimeout(timer);
  }, [error, resubscribe]);
}
