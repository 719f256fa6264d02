import type { Client } from 'urql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followCase } from './live';
import { resubscribeDelay } from './use-resubscribe';

const refused = (code: string) => ({ graphQLErrors: [{ message: code, extensions: { code } }] });
const transport = { networkError: new Error('the socket closed'), graphQLErrors: [] };

describe('resubscribeDelay', () => {
  it.each(['NotFound', 'NotPermitted', 'InvalidInput', 'Unauthenticated', 'QueryTooComplex'])(
    'stops after %s',
    (code) => expect(resubscribeDelay(refused(code), 0)).toBeNull(),
  );

  it.each(['Busy', 'Unavailable', 'RateLimited', 'Internal'])('retries after %s', (code) =>
    expect(resubscribeDelay(refused(code), 0)).toBe(500),
  );

  it('waits longer after each transport error, up to a maximum', () => {
    expect([0, 1, 4, 20].map((failures) => resubscribeDelay(transport, failures))).toEqual([
      500, 1_000, 8_000, 8_000,
    ]);
  });
});

describe('followCase', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  let rereads = 0;

  /** Follows a case whose subscriptions all end with the error, and counts them and the reads. */
  function subscriptionsIn(milliseconds: number, error: unknown): number {
    let subscriptions = 0;
    rereads = 0;
    const client = {
      subscription: () => ({
        subscribe: (handle: (result: unknown) => void) => {
          subscriptions++;
          setTimeout(() => handle({ error }));
          return { unsubscribe: () => undefined };
        },
      }),
    } as unknown as Client;
    const stop = followCase(client, 'c', null, {
      onEvent: () => undefined,
      onReread: () => {
        rereads++;
      },
    });
    vi.advanceTimersByTime(milliseconds);
    stop();
    return subscriptions;
  }

  it('subscribes once if the case is unknown', () => {
    expect(subscriptionsIn(60_000, refused('NotFound'))).toBe(1);
  });

  it('has the page read the case again when the user may not follow it any more', () => {
    subscriptionsIn(60_000, refused('NotFound'));
    expect(rereads).toBe(1);
    subscriptionsIn(60_000, transport);
    expect(rereads).toBe(0);
  });

  it('keeps retrying after transport errors', () => {
    expect(subscriptionsIn(60_000, transport)).toBeGreaterThan(5);
  });
});
