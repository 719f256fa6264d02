// The board as it happens: the list of the filter, the counts of the queues and what people hold, all fresh together.
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Client, useClient, useQuery, useSubscription } from 'urql';
import type { ReviewFilter } from '../../graphql/generated/graphql';
import { failureOf, transientCodes } from '../../lib/refusals';
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

/** How long a burst of changes is waited for before the counts are read again, in milliseconds. */
const settle = 400;
const longestWait = 8_000;

/** Every page of the filter; as far as it was read when the line fails. */
async function readAll(client: Client, filter: ReviewFilter): Promise<Review[]> {
  const all: Review[] = [];
  let after: string | null = null;
  do {
    const page: { after: string | null; filter: ReviewFilter } = { after, filter };
    const { data } = await client
      .query(ManagedPage, page, { requestPolicy: 'network-only' })
      .toPromise();
    all.push(...(data?.reviews.nodes ?? []));
    after = data?.reviews.pageInfo.hasNextPage ? data.reviews.pageInfo.endCursor : null;
  } while (after);
  return all;
}

/** The live list; `onChange` is called at most once in a burst of changes, the first frame excepted. */
function useList(filter: ReviewFilter, onChange: () => void) {
  const signedIn = useSignedIn();
  const [{ key, board }, set] = useState<{ key: string; board: Board }>({
    key: '',
    board: emptyBoard,
  });
  const wanted = JSON.stringify(filter);
  const told = useRef({ onChange, timer: undefined as ReturnType<typeof setTimeout> | undefined });
  useEffect(() => {
    told.current.onChange = onChange;
  });
  useEffect(() => () => clearTimeout(told.current.timer), []);
  const take = useCallback(
    (_: unknown, data: { reviewQueue: Change }) => {
      set((was) => ({
        key: wanted,
        board: withChange(was.key === wanted ? was.board : emptyBoard, data.reviewQueue),
      }));
      clearTimeout(told.current.timer);
      told.current.timer = setTimeout(() => told.current.onChange(), settle);
      return data;
    },
    [wanted],
  );
  const [{ error }, again] = useSubscription(
    { query: ManagedQueue, variables: { filter }, pause: !signedIn },
    take,
  );
  const shown = key === wanted ? board : emptyBoard;
  useBeginAgain(error, again);
  const addAll = useCallback(
    (all: Review[]) =>
      set((was) => (was.key === wanted ? { ...was, board: withAll(was.board, all) } : was)),
    [wanted],
  );
  return { board: shown, error: shown.ready ? undefined : error, again, addAll };
}

/** The server ends a subscription when it restarts or is busy; it is begun again, later each time. */
function useBeginAgain(
  error: Parameters<typeof failureOf>[0] | undefined,
  again: () => void,
): void {
  const failures = useRef(0);
  useEffect(() => {
    if (!error || !transientCodes.has(failureOf(error).code)) return;
    const timer = setTimeout(again, Math.min(longestWait, 500 * 2 ** failures.current++));
    return () => clearTimeout(timer);
  }, [error, again]);
}

/** All that the manager's page shows. */
export function useBoard(filter: ReviewFilter) {
  const client = useClient();
  const [{ data: counts, error: countsError }, readCounts] = useQuery({ query: QueueCounts });
  const [{ data: people, error: peopleError }, readPeople] = useQuery({ query: PeopleLoad });
  const [whole, setWhole] = useState(false);
  const wanted = JSON.stringify(filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter begins with its most urgent rows
  useEffect(() => setWhole(false), [wanted]);
  const reread = () => {
    readCounts({ requestPolicy: 'network-only' });
    readPeople({ requestPolicy: 'network-only' });
    if (whole) void loadAll();
  };
  const { board, error, again, addAll } = useList(filter, reread);
  const [reading, setReading] = useState(false);
  const loadAll = async (): Promise<Review[]> => {
    setReading(true);
    setWhole(true);
    const all = await readAll(client, filter);
    addAll(all);
    setReading(false);
    return all;
  };
  return {
    board,
    rows: rowsOf(board),
    error,
    again: () => {
      again();
      reread();
    },
    reading,
    loadAll,
    queues: counts?.queues,
    queuesError: countsError,
    people: people?.people,
    peopleError,
  };
}
