// The present, shared by everything that says how far off something is: one timer for the whole page.
import { makeStore, useStore } from './store';

const clock = makeStore(Date.now());
let timer: ReturnType<typeof setInterval> | undefined;
let subscribers = 0;

const shared = {
  ...clock,
  subscribe(listener: () => void) {
    // What has just happened must not be shown as still to come.
    if (Date.now() - clock.get() > 1_000) clock.set(Date.now());
    if (subscribers++ === 0) {
      timer = setInterval(() => clock.set(Date.now()), 10_000);
    }
    const unsubscribe = clock.subscribe(listener);
    return () => {
      unsubscribe();
      if (--subscribers === 0) clearInterval(timer);
    };
  },
};

/** Milliseconds since 1970, moving on every ten seconds. */
export function useNow(): number {
  return useStore(shared);
}
