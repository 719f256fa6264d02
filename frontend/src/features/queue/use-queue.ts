// The queue as it happens, and the two commands of it.
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { type CombinedError, useClient, useSubscription } from 'urql';
import type { ReviewFilter } from '../../graphql/generated/graphql';
import type { Refusal } from '../../lib/refusals';
import { useSignedIn } from '../../lib/session';
import { ClaimFromQueue, ClaimNextFromQueue, QueueLive, QueueMore } from './queue.graphql';
import {
  noRows,
  type QueueChange,
  type Row,
  type Rows,
  shownRows,
  took,
  withMore,
  without,
} from './rows';

/** How many rows are live; a page has no more. */
const live = 100;
/** How long a row that was taken stays to say so, in milliseconds. */
const farewell = 6_000;

type Act =
  | { type: 'change'; change: QueueChange }
  | { type: 'more'; rows: readonly Row[] }
  | { type: 'forget'; id: string }
  | { type: 'anew' };

function reduce(rows: Rows, act: Act): Rows {
  switch (act.type) {
    case 'change':
      return took(rows, act.change);
    case 'more':
      return withMore(rows, act.rows);
    case 'forget':
      return without(rows, act.id);
    case 'anew':
      return noRows;
  }
}

/** The rows of the filter, live. */
export function useQueue(filter: ReviewFilter) {
  const signedIn = useSignedIn();
  const [rows, act] = useReducer(reduce, noRows);
  const [attempt, setAttempt] = useState(0);
  const handle = useCallback((_: unknown, data: { reviewQueue: QueueChange }) => {
    act({ type: 'change', change: data.reviewQueue });
    return data;
  }, []);
  const variables = { first: live, filter };
  const [{ error }, again] = useSubscription(
    { query: QueueLive, variables, pause: !signedIn },
    handle,
  );
  const key = JSON.stringify(filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter is another list
  useEffect(() => act({ type: 'anew' }), [key]);
  // The server ends a subscription when it is too far behind or restarts; it is begun again, later each time.
  useEffect(() => {
    if (!error) return;
    const timer = setTimeout(
      () => {
        setAttempt((count) => count + 1);
        again();
      },
      Math.min(8_000, 500 * 2 ** attempt),
    );
    return () => clearTimeout(timer);
  }, [error, again, attempt]);
  useFarewell(rows, act);
  const more = useMore(filter, rows, act);
  const retry = () => again();
  return {
    rows: shownRows(rows),
    ready: rows.ready,
    total: rows.total,
    error: rows.ready ? null : (error ?? null),
    retry,
    more,
  };
}

/** Lets each row that has left go after a while. */
function useFarewell(rows: Rows, act: (act: Act) => void): void {
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>());
  useEffect(() => {
    for (const { row } of rows.departed) {
      if (timers.current.has(row.id)) continue;
      const go = () => {
        timers.current.delete(row.id);
        act({ type: 'forget', id: row.id });
      };
      timers.current.set(row.id, setTimeout(go, farewell));
    }
  }, [rows.departed, act]);
  useEffect(() => {
    const all = timers.current;
    return () => {
      for (const timer of all.values()) clearTimeout(timer);
      all.clear();
    };
  }, []);
}

/** Reads on behind the live rows; null when all are shown. */
function useMore(filter: ReviewFilter, rows: Rows, act: (act: Act) => void) {
  const client = useClient();
  const place = useRef<string | null>(null);
  const [reading, setReading] = useState(false);
  const key = JSON.stringify(filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter begins at its own beginning
  useEffect(() => {
    place.current = null;
  }, [key]);
  const shown = rows.order.length + rows.more.length;
  if (!rows.ready || shown >= rows.total) return null;
  const page = async (after: string | null) => {
    const asked = client.query(
      QueueMore,
      { first: live, after, filter },
      { requestPolicy: 'network-only' },
    );
    return (await asked.toPromise()).data?.reviews;
  };
  const read = async () => {
    setReading(true);
    // The live rows bring no place to go on from: the first page is read once more for it.
    place.current ??= (await page(null))?.pageInfo.endCursor ?? null;
    const next = place.current ? await page(place.current) : undefined;
    if (next) {
      place.current = next.pageInfo.endCursor;
      act({ type: 'more', rows: next.nodes });
    }
    setReading(false);
  };
  return { read: () => void read(), reading };
}

/** How a claim ended: the review, or why not. */
export type Claim =
  | { reviewId: string }
  | { refusals: readonly Refusal[] }
  | { error: CombinedError };

/** The commands of the queue, in one's own name (null) or in one that was lent. */
export function useClaims(onBehalfOf: string | null) {
  const client = useClient();
  const claim = async (row: Row): Promise<Claim> => {
    const input = { reviewId: row.id, expectedVersion: null, onBehalfOf, idempotencyKey: null };
    const { data, error } = await client.mutation(ClaimFromQueue, { input }).toPromise();
    return claimOf(data?.claimReview, error);
  };
  const claimNext = async (): Promise<Claim> => {
    const input = { onBehalfOf, idempotencyKey: null };
    const { data, error } = await client.mutation(ClaimNextFromQueue, { input }).toPromise();
    return claimOf(data?.claimNextReview, error);
  };
  return { claim, claimNext };
}

type Payload = { review: { id: string } | null; userErrors: readonly Refusal[] };

function claimOf(payload: Payload | undefined, error: CombinedError | undefined): Claim {
  if (error) return { error };
  if (payload?.review && payload.userErrors.length === 0) return { reviewId: payload.review.id };
  return { refusals: payload?.userErrors ?? [] };
}
