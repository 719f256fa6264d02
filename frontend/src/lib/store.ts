// A value outside of React that components can subscribe to.
import { useSyncExternalStore } from 'react';

/** A value that notifies its subscribers of changes. */
export interface Store<T> {
  get(): T;
  set(next: T): void;
  /** Calls the listener after every change until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

/** Creates a store; setting an identical value does not notify. */
export function makeStore<T>(first: T): Store<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value of the store; the component renders again when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}
