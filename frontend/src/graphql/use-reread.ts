// Lists that are read by a query and kept current by a live counter.
import { useEffect, useRef } from 'react';

/**
 * Reads a list again when the live mark, such as a counter, is another one than at its last read. The first
 * mark counts too: what changed between the read and the beginning of the subscription would be missed
 * otherwise. While the list is being read it waits, because a second read of the same would be dropped.
 */
export function useReread(
  mark: string | number | undefined,
  reading: boolean,
  reread: () => void,
): void {
  const last = useRef<string | number | undefined>(undefined);
  const callback = useRef(reread);
  useEffect(() => {
    callback.current = reread;
  });
  useEffect(() => {
    if (mark === undefined || reading || last.current === mark) return;
    last.current = mark;
    callback.current();
  }, [mark, reading]);
}
