// The current time, shared by all relative times: one timer for the whole application.
import { makeStore, useStore } from './store';

const clock = makeStore(Date.now());
let timer: ReturnType<typeof setInterval> | undefined;
let subscribers = 0;

const shared = {
  ...clock,
  subscribe(listener: () => void) {
    // A recent event must not appear to be in the future.
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

/** Milliseconds since 1970, updated every ten seconds. */
export function useNow(): number {
  return useStore(shared);
}
