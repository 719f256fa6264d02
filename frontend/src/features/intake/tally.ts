// How many of the files are where.
import { useMemo, useSyncExternalStore } from 'react';
import type { Item } from './batch';

export interface Tally {
  received: number;
  /** Sent, in line, or to be tried again. */
  open: number;
  /** Refused or failed. */
  trouble: number;
  /** Refused or cancelled: can be taken off the list. */
  gone: number;
}

export function tallyOf(states: readonly string[]): Tally {
  const count = (...names: string[]) => states.filter((state) => names.includes(state)).length;
  return {
    received: count('received'),
    open: count('waiting', 'sending', 'pausing', 'signedOut'),
    trouble: count('refused', 'failed'),
    gone: count('refused', 'cancelled'),
  };
}

/** The tally, anew whenever a file moves on. */
export function useTally(items: readonly Item[]): Tally {
  const subscribe = useMemo(
    () => (follow: () => void) => {
      const ends = items.map(({ actor }) => actor.subscribe(follow));
      return () => {
        for (const end of ends) end.unsubscribe();
      };
    },
    [items],
  );
  const text = useSyncExternalStore(subscribe, () =>
    items.map(({ actor }) => actor.getSnapshot().value).join(),
  );
  return useMemo(() => tallyOf(text === '' ? [] : text.split(',')), [text]);
}
