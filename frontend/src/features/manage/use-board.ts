// The data of the board: the filtered list, the counters of the queues and the workload, updated
// together.
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Client, useClient, useQuery, useSubscription } from 'urql';
import type { ReviewFilter } from '../../graphql/generated/graphql';
import { useResubscribe } from '../../graphql/use-resubscribe';
import { useSignedIn } from '../../lib/session';
import {
  type Board,
  type Change,
  emptyBoard,
  type Review,
  rowsOf,
  withAll,
  withChange,
} from './board';
import { ManagedPage, ManagedQueue, PeopleLoad, QueueCounts } from './manage.graphql';

/** The delay before a burst of changes reloads the counters, in milliseconds. */
const reloadDelay = 400;

/** Loads all pages of the filter, as far as the connection permits. */
async function readAll(client: Client, filter: ReviewFilter): Promise<Review[]> {
  const reviews: Review[] = [];
  let after: string | null = null;
  do {
    const page: { after: string | null; filter: ReviewFilter } = { after, filter };
    const { data } = await client
      .query(ManagedPage, page, { requestPolicy: 'network-only' })
      .toPromise();
    reviews.push(...(data?.reviews.nodes ?? []));
    after = data?.reviews.pageInfo.hasNextPage ? data.reviews.pageInfo.endCursor : null;
  } while (after);
  return reviews;
}

/** The live list; `onChange` is called once per burst of changes, except for the first frame. */
function useList(filter: ReviewFilter, onChange: () => void) {
  const signedIn = useSignedIn();
  const [{ key, board }, setState] = useState<{ key: string; board: Board }>({
    key: '',
    board: emptyBoard,
  });
  const filterKey = JSON.stringify(filter);
  const callback = useRef({
    onChange,
    timer: undefined as ReturnType<typeof setTimeout> | undefined,
  });
  useEffect(() => {
    callback.current.onChange = onChange;
  });
  useEffect(() => () => clearTimeout(callback.current.timer), []);
  const handleFrame = useCallback(
    (_: unknown, data: { reviewQueue: Change }) => {
      setState((previous) => ({
        key: filterKey,
        board: withChange(
          previous.key === filterKey ? previous.board : emptyBoard,
          data.reviewQueue,
        ),
      }));
      clearTimeout(callback.current.timer);
      callback.current.timer = setTimeout(() => callback.current.onChange(), reloadDelay);
      return data;
    },
    [filterKey],
  );
  const [{ error }, resubscribe] = useSubscription(
    { query: ManagedQueue, variables: { filter }, pause: !signedIn },
    handleFrame,
  );
  const shown = key === filterKey ? board : emptyBoard;
  useResubscribe(error, resubscribe);
  const addAll = useCallback(
    (reviews: Review[]) =>
      setState((previous) =>
        previous.key === filterKey
          ? { ...previous, board: withAll(previous.board, reviews) }
          : previous,
      ),
    [filterKey],
  );
  return { board: shown, error: shown.ready ? undefined : error, resubscribe, addAll };
}

/** The data of the manager's page. */
export function useBoard(filter: ReviewFilter) {
  const client = useClient();
  const [{ data: counts, error: countsError }, refetchCounts] = useQuery({ query: QueueCounts });
  const [{ data: people, error: peopleError }, refetchPeople] = useQuery({ query: PeopleLoad });
  const [allLoaded, setAllLoaded] = useState(false);
  const filterKey = JSON.stringify(filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter starts with its live rows
  useEffect(() => setAllLoaded(false), [filterKey]);
  const reload = () => {
    refetchCounts({ requestPolicy: 'network-only' });
    refetchPeople({ requestPolicy: 'network-only' });
    if (allLoaded) void loadAll();
  };
  const { board, error, resubscribe, addAll } = useList(filter, reload);
  const [loadingAll, setLoadingAll] = useState(false);
  const loadAll = async (): Promise<Review[]> => {
    setLoadingAll(true);
    setAllLoaded(true);
    const reviews = await readAll(client, filter);
    addAll(reviews);
    setLoadingAll(false);
    return reviews;
  };
  return {
    board,
    rows: rowsOf(board),
    error,
    resubscribe: () => {
      resubscribe();
      reload();
    },
    loadingAll,
    loadAll,
    queues: counts?.queues,
    queuesError: countsError,
    people: people?.people,
    peopleError,
  };
}
