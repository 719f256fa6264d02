// A value outside of React that components can follow.
import { useSyncExternalStore } from 'react';

/** A value that tells its followers when it changed. */
export interface Store<T> {
  get(): T;
  set(next: T): void;
  /** Calls back after every change until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

/** Makes a store; setting an identical value tells nobody. */
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

/** The value of the store; the component is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}
