// How many of the files are where.
import { useMemo, useSyncExternalStore } from 'react';
import type { UploadItem } from './batch';

export interface UploadCounts {
  received: number;
  /** Sent, in line, or to be tried again. */
  open: number;
  /** Refused or failed. */
  failed: number;
  /** Refused or cancelled: can be taken off the list. */
  removable: number;
}

export function uploadCountsOf(states: readonly string[]): UploadCounts {
  const count = (...names: string[]) => states.filter((state) => names.includes(state)).length;
  return {
    received: count('received'),
    open: count('waiting', 'sending', 'pausing', 'signedOut'),
    failed: count('refused', 'failed'),
    removable: count('refused', 'cancelled'),
  };
}

/** The tally, anew whenever a file moves on. */
export function useUploadCounts(items: readonly UploadItem[]): UploadCounts {
  const subscribe = useMemo(
    () => (listener: () => void) => {
      const subscriptions = items.map(({ actor }) => actor.subscribe(listener));
      return () => {
        for (const subscription of subscriptions) subscription.unsubscribe();
      };
    },
    [items],
  );
  const stateList = useSyncExternalStore(subscribe, () =>
    items.map(({ actor }) => actor.getSnapshot().value).join(),
  );
  return useMemo(() => uploadCountsOf(stateList === '' ? [] : stateList.split(',')), [stateList]);
}
