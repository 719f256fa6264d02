// What a page does when another person has changed a value that its form showed.
import { useEffect, useRef } from 'react';

/** Reads the present values once a command was refused because another person has changed one. */
export function useStale(refusals: readonly { code: string }[], onStale: () => void) {
  const latest = useRef(onStale);
  latest.current = onStale;
  useEffect(() => {
    if (refusals.some(({ code }) => code === 'StaleVersion')) latest.current();
  }, [refusals]);
}

/** Reads the present state after every refusal, because a list of what has ended is not live. */
export function useRefused(refusals: readonly { code: string }[], onRefused: () => void) {
  const latest = useRef(onRefused);
  latest.current = onRefused;
  useEffect(() => {
    if (refusals.length > 0) latest.current();
  }, [refusals]);
}
