// Counts the files by upload state.
import { useMemo, useSyncExternalStore } from 'react';
import type { UploadItem } from './batch';

export interface UploadCounts {
  received: number;
  /** Sending, waiting, or waiting for a retry. */
  open: number;
  /** Refused or failed. */
  failed: number;
  /** Refused or cancelled; can be removed from the list. */
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

/** The counts, updated whenever an upload changes state. */
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
