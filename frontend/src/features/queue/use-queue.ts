// The live queue and its claim commands.
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { type CombinedError, useClient, useSubscription } from 'urql';
import type { ReviewFilter, ReviewSort } from '../../graphql/generated/graphql';
import { sendThroughLoss } from '../../graphql/resend';
import { resubscribeDelay, useResubscribe } from '../../graphql/use-resubscribe';
import { newKey } from '../../lib/keys';
import type { Refusal } from '../../lib/refusals';
import { useSignedIn } from '../../lib/session';
import { skipped } from '../../lib/skipped';
import { ClaimFromQueue, ClaimNextFromQueue, QueueLive, QueueRows } from './queue.graphql';
import {
  applyChange,
  emptyRows,
  hasMore,
  type QueueChange,
  type Row,
  type Rows,
  shownRows,
  withMore,
  withoutRow,
} from './rows';

/** The number of live rows, the maximum of the API. */
const pageSize = 100;
/** How long a row stays after it has left the list, in milliseconds. */
const departedDelay = 6_000;

type RowsAction =
  | { type: 'change'; change: QueueChange }
  | { type: 'more'; rows: readonly Row[]; last: boolean }
  | { type: 'forget'; id: string }
  | { type: 'reset' };

function reduce(rows: Rows, action: RowsAction): Rows {
  switch (action.type) {
    case 'change':
      return applyChange(rows, action.change);
    case 'more':
      return withMore(rows, action.rows, action.last);
    case 'forget':
      return withoutRow(rows, action.id);
    case 'reset':
      return emptyRows;
  }
}

/** The live rows of the filter, in the order. */
export function useQueue(filter: ReviewFilter, sort: ReviewSort) {
  const signedIn = useSignedIn();
  const [rows, dispatch] = useReducer(reduce, emptyRows);
  const handle = useCallback((_: unknown, data: { reviewQueue: QueueChange }) => {
    dispatch({ type: 'change', change: data.reviewQueue });
    return data;
  }, []);
  const variables = { first: pageSize, filter, sort };
  const [{ error }, resubscribe] = useSubscription(
    { query: QueueLive, variables, pause: !signedIn },
    handle,
  );
  const key = JSON.stringify([filter, sort]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter is another list
  useEffect(() => dispatch({ type: 'reset' }), [key]);
  useResubscribe(error, resubscribe);
  useDepartedRows(rows, dispatch);
  const more = useMore(filter, sort, rows, dispatch);
  const retry = () => resubscribe();
  return {
    rows: shownRows(rows),
    ready: rows.ready,
    total: rows.total,
    decidable: rows.decidable,
    // Rows stay while the subscription restarts. After a permanent error they are outdated.
    error: error && (!rows.ready || resubscribeDelay(error, 0) === null) ? error : null,
    retry,
    more,
  };
}

/** Removes each row some time after it has left the list. */
function useDepartedRows(rows: Rows, dispatch: (dispatch: RowsAction) => void): void {
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>());
  useEffect(() => {
    for (const { row } of rows.departed) {
      if (timers.current.has(row.id)) continue;
      const remove = () => {
        timers.current.delete(row.id);
        dispatch({ type: 'forget', id: row.id });
      };
      timers.current.set(row.id, setTimeout(remove, departedDelay));
    }
  }, [rows.departed, dispatch]);
  useEffect(() => {
    const all = timers.current;
    return () => {
      for (const timer of all.values()) clearTimeout(timer);
      all.clear();
    };
  }, []);
}

/** Loads the rows after the live ones. */
function useMore(
  filter: ReviewFilter,
  sort: ReviewSort,
  rows: Rows,
  dispatch: (dispatch: RowsAction) => void,
) {
  const client = useClient();
  const nextCursor = useRef<string | null>(null);
  const [loading, setLoading] = useState(false);
  const key = JSON.stringify([filter, sort]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter has its own cursors
  useEffect(() => {
    nextCursor.current = null;
  }, [key]);
  const shown = rows.order.length + rows.more.length;
  const page = async (after: string | null) => {
    const request = client.query(
      QueueRows,
      { first: pageSize, after, filter, sort },
      { requestPolicy: 'network-only' },
    );
    return (await request.toPromise()).data?.reviews;
  };
  /** The rows of the next page; null if there is none or it was not read. */
  const next = async (): Promise<readonly Row[] | null> => {
    // Frames of the subscription have no cursor, so the first page is loaded once to get one.
    nextCursor.current ??= (await page(null))?.pageInfo.endCursor ?? null;
    const read = nextCursor.current ? await page(nextCursor.current) : undefined;
    if (!read) return null;
    nextCursor.current = read.pageInfo.hasNextPage ? read.pageInfo.endCursor : null;
    dispatch({ type: 'more', rows: read.nodes, last: !read.pageInfo.hasNextPage });
    return read.pageInfo.hasNextPage ? read.nodes : null;
  };
  const loadUntil = async (count: number) => {
    setLoading(true);
    for (let known = shown; known < count; ) {
      const read = await next();
      if (!read || read.length === 0) break;
      known += read.length;
    }
    setLoading(false);
  };
  return {
    has: hasMore(rows),
    loadMore: () => void loadUntil(shown + 1),
    /** Loads rows until so many are shown, or all. */
    loadUntil,
    loading,
  };
}

/** The result of a claim: the review, the refusals or the error. */
export type Claim =
  | { reviewId: string }
  | { refusals: readonly Refusal[] }
  | { error: CombinedError };

/** The claim commands, for the user (null) or on behalf of a delegator. */
export function useClaims(onBehalfOf: string | null) {
  const client = useClient();
  const claim = async (row: Row): Promise<Claim> => {
    const input = { reviewId: row.id, expectedVersion: null, onBehalfOf, idempotencyKey: newKey() };
    const { data, error } = await sendThroughLoss(() =>
      client.mutation(ClaimFromQueue, { input }).toPromise(),
    );
    return claimOf(data?.claimReview, error);
  };
  const claimNext = async (): Promise<Claim> => {
    const input = {
      onBehalfOf,
      skip: [...skipped.get()],
      claimedFirst: true,
      idempotencyKey: newKey(),
    };
    const { data, error } = await sendThroughLoss(() =>
      client.mutation(ClaimNextFromQueue, { input }).toPromise(),
    );
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
