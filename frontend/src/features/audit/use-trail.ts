// A case's trail, page by page. What happens meanwhile is counted, not pushed in: reading a trail is itself noted in it.
import { useCallback, useEffect, useRef, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { useCaseEvents } from '../../graphql/live';
import { AuditedCase } from './audit.graphql';
import { type Line, lastSeq } from './lines';

const pageSize = 200;

interface Read {
  lines: Line[];
  /** Where the next page begins; null at the end. */
  end: string | null;
}

export function useTrail(caseId: string, cursor: string) {
  const client = useClient();
  const [read, setRead] = useState<Read | null>(null);
  const [error, setError] = useState<CombinedError | null>(null);
  const [reading, setReading] = useState(false);
  const pages = useRef(1);
  const heard = useCaseEvents(caseId, cursor, () => undefined);

  const page = useCallback(
    async (after: string | null): Promise<Read | null> => {
      const asked = client.query(
        AuditedCase,
        { caseId, first: pageSize, after },
        { requestPolicy: 'network-only' },
      );
      const { data, error: failed } = await asked.toPromise();
      setError(failed ?? null);
      if (!data) return null;
      const { nodes, pageInfo } = data.auditTrail;
      return { lines: nodes, end: pageInfo.hasNextPage ? pageInfo.endCursor : null };
    },
    [client, caseId],
  );
  const again = useCallback(async () => {
    let whole: Read = { lines: [], end: null };
    for (let n = 0; n < pages.current; n++) {
      const next = await page(whole.end);
      if (!next) return;
      whole = { lines: [...whole.lines, ...next.lines], end: next.end };
      if (next.end === null) break;
    }
    setRead(whole);
  }, [page]);
  useEffect(() => {
    pages.current = 1;
    setRead(null);
    void again();
  }, [again]);
  const more = async () => {
    if (!read?.end) return;
    setReading(true);
    const next = await page(read.end);
    if (next) {
      pages.current++;
      setRead({ lines: [...read.lines, ...next.lines], end: next.end });
    }
    setReading(false);
  };
  const last = lastSeq(read?.lines ?? []);
  return {
    lines: read?.lines,
    error,
    again: () => void again(),
    more: read?.end ? { read: () => void more(), reading } : null,
    // With pages still to come, newer facts lie on them.
    fresh: read && !read.end ? heard.filter((event) => BigInt(event.seq) > last).length : 0,
  };
}
