// Loads the incidents of a cause page by page, and again when they have changed.
import { useEffect, useRef, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { IncidentsOfCause } from './incidents.graphql';
import type { Incident, Repair } from './repairs';

const pageSize = 25;
const maxPageSize = 100;

interface Cause {
  code: string;
  node: string;
  count: number;
  newest: string;
}

interface LoadedIncidents {
  incidents: Incident[];
  nextCursor: string | null;
}

/** The open incidents; `all` loads the cause completely. */
export function useIncidents(cause: Cause, repairs: readonly Repair[]) {
  const client = useClient();
  const { code, node } = cause;
  const [loaded, setLoaded] = useState<LoadedIncidents | null>(null);
  const [error, setError] = useState<CombinedError | null>(null);
  const [loadingMore, setLoadingMore] = useState(false);
  const targetCount = useRef(pageSize);

  const loadPage = async (first: number, after: string | null): Promise<LoadedIncidents | null> => {
    const request = client.query(
      IncidentsOfCause,
      { code, node, first, after },
      { requestPolicy: 'network-only' },
    );
    const { data, error: queryError } = await request.toPromise();
    setError(queryError ?? null);
    if (!data) return null;
    const { nodes, pageInfo } = data.incidents;
    return { incidents: nodes, nextCursor: pageInfo.hasNextPage ? pageInfo.endCursor : null };
  };
  const loadUpTo = async (maxCount: number): Promise<LoadedIncidents | null> => {
    let result: LoadedIncidents = { incidents: [], nextCursor: null };
    do {
      const next = await loadPage(Math.min(maxPageSize, maxCount), result.nextCursor);
      if (!next) return result.incidents.length > 0 ? result : null;
      result = { incidents: [...result.incidents, ...next.incidents], nextCursor: next.nextCursor };
    } while (result.nextCursor && result.incidents.length < maxCount);
    return result;
  };
  const reload = async () => {
    const next = await loadUpTo(targetCount.current);
    if (next) setLoaded(next);
  };
  const loadMore = async () => {
    setLoadingMore(true);
    targetCount.current += pageSize;
    await reload();
    setLoadingMore(false);
  };
  const reloadKey = `${code} ${node} ${cause.count} ${cause.newest} ${repairs.filter((one) => one.state.matches('open')).length}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: reloadKey covers every change of the cause
  useEffect(() => void reload(), [reloadKey]);
  return {
    incidents: loaded?.incidents,
    error,
    reload: () => void reload(),
    loadMore: loaded?.nextCursor ? { loaded: () => void loadMore(), loadingMore } : null,
    all: async () => (await loadUpTo(Number.POSITIVE_INFINITY))?.incidents ?? [],
  };
}
