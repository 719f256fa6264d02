// Restarts a subscription that the server has ended.
import { useEffect, useRef } from 'react';
import { failureOf, transientCodes } from '../lib/refusals';

const maxDelay = 8_000;

/**
 * Resubscribes with a growing delay, because the server ends subscriptions when it restarts or is
 * busy.
 */
export function useResubscribe(
  error: Parameters<typeof failureOf>[0] | undefined,
  resubscribe: () => void,
): void {
  const failures = useRef(0);
  useEffect(() => {
    if (!error || !transientCodes.has(failureOf(error).code)) return;
    const timer = setTimeout(resubscribe, Math.min(maxDelay, 500 * 2 ** failures.current++));
    return () => clearTimeout(timer);
  }, [error, resubscribe]);
}
