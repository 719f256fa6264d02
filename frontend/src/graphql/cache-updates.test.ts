import {
  createRequest,
  gql,
  makeOperation,
  type Operation,
  type OperationResult,
} from '@urql/core';
import { describe, expect, it } from 'vitest';
import { makeSubject, map, pipe, subscribe } from 'wonka';
import { cacheUpdatesExchange, isOlder, NewestVersions, rankOf } from './cache-updates';

const older = {
  __typename: 'Case',
  id: 'a',
  updatedAt: '2026-11-21T10:00:00.000009Z',
  status: 'RECEIVED',
};
const newer = {
  __typename: 'Case',
  id: 'a',
  updatedAt: '2026-11-21T10:00:00.0001Z',
  status: 'APPROVED',
};

describe('the rank of an object', () => {
  it('compares microseconds and versions as numbers', () => {
    expect(isOlder(rankOf(older) ?? [], rankOf(newer) ?? [])).toBe(true);
    const review = (version: string) => rankOf({ __typename: 'Review', id: 'r', version }) ?? [];
    expect(isOlder(review('9.1'), review('10.1'))).toBe(true);
    expect(isOlder(review('10.2'), review('10.1'))).toBe(false);
  });

  it('returns null without a version', () => {
    expect(rankOf({ __typename: 'Person', id: 'p' })).toBeNull();
    expect(rankOf({ __typename: 'Review', id: 'r', version: 'opaque' })).toBeNull();
  });

  it('strips only the outdated object', () => {
    const newest = new NewestVersions();
    newest.walk({ case: newer }, true);
    const { value, stale } = newest.walk(
      { event: { seq: '4', case: older, other: [newer] } },
      true,
    );
    expect(stale).toBe(true);
    expect(value).toEqual({
      event: { seq: '4', case: { __typename: 'Case', id: 'a' }, other: [newer] },
    });
  });
});

describe('the exchange', () => {
  const run = (kind: 'query' | 'mutation', answers: unknown[]) => {
    const requests: Operation[] = [];
    const shown: unknown[] = [];
    const { source, next } = makeSubject<Operation>();
    const exchange = cacheUpdatesExchange();
    const forward = (operations$: typeof source) =>
      pipe(
        operations$,
        map((operation): OperationResult => {
          requests.push(operation);
          return { operation, data: answers[requests.length - 1], stale: false, hasNext: false };
        }),
      );
    const results = exchange({ forward, client: {} as never, dispatchDebug: () => undefined })(
      source,
    );
    pipe(
      results,
      subscribe((result) => shown.push(result.data)),
    );
    const document = kind === 'query' ? gql`query A { a }` : gql`mutation A { a }`;
    const operation = makeOperation(kind, createRequest(document, {}), {
      url: '',
      requestPolicy: 'cache-first',
    });
    return { requests, shown, send: () => next(operation) };
  };

  it('resends an outdated query and shows the newer result', async () => {
    const { requests, shown, send } = run('query', [
      { case: newer },
      { case: older },
      { case: newer },
    ]);
    send();
    send();
    await Promise.resolve();
    expect(requests).toHaveLength(3);
    expect(requests[2]?.context.requestPolicy).toBe('network-only');
    expect(shown).toEqual([{ case: newer }, { case: newer }]);
  });

  it('limits the number of retries', async () => {
    const { requests, send } = run('query', [
      { case: newer },
      ...Array.from({ length: 9 }, () => ({ case: older })),
    ]);
    send();
    send();
    for (let i = 0; i < 20; i++) await Promise.resolve();
    expect(requests).toHaveLength(5);
  });

  it('passes a mutation result without the outdated object', () => {
    const { shown, send } = run('mutation', [{ case: newer }, { case: older, userErrors: [] }]);
    send();
    send();
    expect(shown[1]).toEqual({ case: { __typename: 'Case', id: 'a' }, userErrors: [] });
  });
});
