// Loads a case's audit trail page by page. New events are only counted, because each read of the
// trail adds an entry to it.
import { useCallback, useEffect, useRef, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { useCaseEvents } from '../../graphql/live';
import { AuditedCase } from './audit.graphql';
import { type Line, lastSeq } from './lines';

const pageSize = 200;

interface LoadedTrail {
  lines: Line[];
  /** The cursor of the next page; null at the end. */
  nextCursor: string | null;
}

export function useTrail(caseId: string, cursor: string) {
  const client = useClient();
  const [loaded, setLoaded] = useState<LoadedTrail | null>(null);
  const [error, setError] = useState<CombinedError | null>(null);
  const [loadingMore, setLoadingMore] = useState(false);
  const pageCount = useRef(1);
  const liveEvents = useCaseEvents(caseId, cursor, () => undefined);

  const loadPage = useCallback(
    async (after: string | null): Promise<LoadedTrail | null> => {
      const request = client.query(
        AuditedCase,
        { caseId, first: pageSize, after },
        { requestPolicy: 'network-only' },
      );
      const { data, error: queryError } = await request.toPromise();
      setError(queryError ?? null);
      if (!data) return null;
      const { nodes, pageInfo } = data.auditTrail;
      return { lines: nodes, nextCursor: pageInfo.hasNextPage ? pageInfo.endCursor : null };
    },
    [client, caseId],
  );
  const reload = useCallback(async () => {
    let trail: LoadedTrail = { lines: [], nextCursor: null };
    for (let n = 0; n < pageCount.current; n++) {
      const next = await loadPage(trail.nextCursor);
      if (!next) return;
      trail = { lines: [...trail.lines, ...next.lines], nextCursor: next.nextCursor };
      if (next.nextCursor === null) break;
    }
    setLoaded(trail);
  }, [loadPage]);
  useEffect(() => {
    pageCount.current = 1;
    setLoaded(null);
    void reload();
  }, [reload]);
  /** Loads the next page, or all further ones. Resolves whether the trail is loaded to its end. */
  const loadMore = async (all: boolean): Promise<boolean> => {
    let trail = loaded;
    setLoadingMore(true);
    while (trail?.nextCursor) {
      const next = await loadPage(trail.nextCursor);
      if (!next) break;
      pageCount.current++;
      trail = { lines: [...trail.lines, ...next.lines], nextCursor: next.nextCursor };
      setLoaded(trail);
      if (!all) break;
    }
    setLoadingMore(false);
    return trail !== null && trail.nextCursor === null;
  };
  const last = lastSeq(loaded?.lines ?? []);
  return {
    lines: loaded?.lines,
    error,
    reload: () => void reload(),
    complete: loaded !== null && loaded.nextCursor === null,
    loadMore,
    loadingMore,
    // While further pages are unread, the newer events are on them.
    newEvents:
      loaded && !loaded.nextCursor
        ? liveEvents.filter((event) => BigInt(event.seq) > last).length
        : 0,
  };
}
