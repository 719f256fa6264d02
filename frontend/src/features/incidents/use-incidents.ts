// The incidents of a cause, page by page, read again when what stands has changed.
import { useEffect, useRef, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { IncidentsOfCause } from './incidents.graphql';
import type { Incident, Repair } from './repairs';

const pageSize = 25;
const largest = 100;

interface Cause {
  code: string;
  node: string;
  count: number;
  newest: string;
}

interface Read {
  incidents: Incident[];
  end: string | null;
}

/** The incidents that stand now; `all` reads the cause to its end. */
export function useIncidents(cause: Cause, begun: readonly Repair[]) {
  const client = useClient();
  const { code, node } = cause;
  const [read, setRead] = useState<Read | null>(null);
  const [error, setError] = useState<CombinedError | null>(null);
  const [reading, setReading] = useState(false);
  const wanted = useRef(pageSize);

  const page = async (first: number, after: string | null): Promise<Read | null> => {
    const asked = client.query(
      IncidentsOfCause,
      { code, node, first, after },
      { requestPolicy: 'network-only' },
    );
    const { data, error: failed } = await asked.toPromise();
    setError(failed ?? null);
    if (!data) return null;
    const { nodes, pageInfo } = data.incidents;
    return { incidents: nodes, end: pageInfo.hasNextPage ? pageInfo.endCursor : null };
  };
  const whole = async (most: number): Promise<Read | null> => {
    let so: Read = { incidents: [], end: null };
    do {
      const next = await page(Math.min(largest, most), so.end);
      if (!next) return so.incidents.length > 0 ? so : null;
      so = { incidents: [...so.incidents, ...next.incidents], end: next.end };
    } while (so.end && so.incidents.length < most);
    return so;
  };
  const again = async () => {
    const next = await whole(wanted.current);
    if (next) setRead(next);
  };
  const more = async () => {
    setReading(true);
    wanted.current += pageSize;
    await again();
    setReading(false);
  };
  const moved = `${code} ${node} ${cause.count} ${cause.newest} ${begun.filter((one) => one.state.matches('standing')).length}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the cause itself says when it has to be read again
  useEffect(() => void again(), [moved]);
  return {
    incidents: read?.incidents,
    error,
    again: () => void again(),
    more: read?.end ? { read: () => void more(), reading } : null,
    all: async () => (await whole(Number.POSITIVE_INFINITY))?.incidents ?? [],
  };
}
