// The reviews that the user has skipped since the page was loaded: "claim next" leaves them to others.
import { session } from './session';
import { makeStore } from './store';

/** As many as the server accepts; the oldest is offered again. */
export const mostSkipped = 50;

/** Their ids, the oldest first. */
export const skipped = makeStore<readonly string[]>([]);

export function skip(id: string): void {
  skipped.set([...skipped.get().filter((other) => other !== id), id].slice(-mostSkipped));
}

/** Offers the reviews again. */
export function unskip(ids: readonly string[]): void {
  skipped.set(skipped.get().filter((id) => !ids.includes(id)));
}

// Another person can sign in on the same page.
session.subscribe(() => {
  if (session.get().state === 'signedOut') skipped.set([]);
});
