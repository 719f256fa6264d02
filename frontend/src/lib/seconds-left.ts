// The seconds until a time, counted down.
import { useEffect, useState } from 'react';

/** Whole seconds until the time; 0 if it has passed. */
export function secondsUntil(iso: string | null, now: number): number {
  return iso === null ? 0 : Math.max(0, Math.ceil((Date.parse(iso) - now) / 1000));
}

/** Whole seconds until the time, updated every second; 0 if it has passed. */
export function useSecondsLeft(until: string | null): number {
  const [now, setNow] = useState(() => Date.now());
  const seconds = secondsUntil(until, now);
  const open = seconds > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new time restarts the countdown
  useEffect(() => setNow(Date.now()), [until]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each second schedules the next
  useEffect(() => {
    if (!open) return;
    const timer = setTimeout(() => setNow(Date.now()), 1_000);
    return () => clearTimeout(timer);
  }, [open, now]);
  return seconds;
}
