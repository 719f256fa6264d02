// The undecided reviews of the selected cases, read a few cases at a time.
import { useEffect, useRef, useState } from 'react';
import { type Client, type CombinedError, useClient } from 'urql';
import { whenConnected } from '../../graphql/connection';
import type { BulkReviewFragment } from '../../graphql/generated/graphql';
import { BulkPlan } from './bulk.graphql';
import type { Work } from './plan';

/** The cases of one request, whose reviews fit on one page. */
const partSize = 25;
/** How long further selections are awaited before a request, in milliseconds. */
const pause = 120;

function grouped(
  ids: readonly string[],
  own: readonly BulkReviewFragment[],
  all: readonly BulkReviewFragment[],
): [string, Work][] {
  const of = (list: readonly BulkReviewFragment[], id: string) =>
    list.filter((review) => review.case?.id === id);
  return ids.map((id) => [id, { own: of(own, id), all: of(all, id) }]);
}

async function readPart(client: Client, ids: readonly string[], manages: boolean) {
  const { data, error } = await client
    .query(
      BulkPlan,
      { own: { cases: [...ids] }, all: { cases: [...ids], all: true }, manages },
      { requestPolicy: 'network-only' },
    )
    .toPromise();
  return { work: data ? grouped(ids, data.own.nodes, data.all?.nodes ?? []) : [], error };
}

export interface Plan {
  work: ReadonlyMap<string, Work>;
  /** The reviews of some selected cases are not known yet. */
  loading: boolean;
  error: CombinedError | null;
  /** Reads the reviews again, of these cases or of all. */
  reload: (ids?: readonly string[]) => void;
}

/** `paused`: the user has no commands on reviews, so nothing is read. */
export function usePlan(ids: readonly string[], manages: boolean, paused: boolean): Plan {
  const client = useClient();
  const [work, setWork] = useState<ReadonlyMap<string, Work>>(new Map());
  const [error, setError] = useState<CombinedError | null>(null);
  const [round, setRound] = useState(0);
  const known = useRef(new Set<string>());
  const key = ids.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key has the ids, the round a reload
  useEffect(() => {
    if (paused) return;
    let stopped = false;
    const read = async () => {
      const missing = ids.filter((id) => !known.current.has(id));
      setError(null);
      for (let at = 0; at < missing.length && !stopped; at += partSize) {
        const part = missing.slice(at, at + partSize);
        const { work: found, error: failed } = await readPart(client, part, manages);
        if (stopped) return;
        if (failed) {
          setError(failed);
          return;
        }
        for (const id of part) known.current.add(id);
        setWork((before) => new Map([...before, ...found]));
      }
    };
    const timer = setTimeout(() => void read(), pause);
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [client, key, manages, paused, round]);
  useEffect(
    () => (error?.networkError ? whenConnected(() => setRound((before) => before + 1)) : undefined),
    [error],
  );
  return {
    work,
    loading: !paused && !error && ids.some((id) => !work.has(id)),
    error,
    reload: (some) => {
      for (const id of some ?? [...known.current]) known.current.delete(id);
      setRound((before) => before + 1);
    },
  };
}
