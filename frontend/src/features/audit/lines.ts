// The kinds of lines in an audit trail.
import type { TrailLineFragment } from '../../graphql/generated/graphql';

export type Line = TrailLineFragment;

/** What a line records: an event of the case, a read access, or a refused command. */
export type LineKind = 'events' | 'accesses' | 'refusals';

export const lineKinds: readonly LineKind[] = ['events', 'accesses', 'refusals'];

export function lineKindOf(line: Pick<Line, 'kind' | 'code'>): LineKind {
  if (line.kind === 'EVENT') return 'events';
  return line.code ? 'refusals' : 'accesses';
}

export function countByKind(
  lines: readonly Pick<Line, 'kind' | 'code'>[],
): Record<LineKind, number> {
  const count = { events: 0, accesses: 0, refusals: 0 };
  for (const line of lines) count[lineKindOf(line)]++;
  return count;
}

/** The sequence number of the newest event among the lines; -1 if there is none. */
export function lastSeq(lines: readonly Pick<Line, 'seq'>[]): bigint {
  return lines.reduce(
    (last, { seq }) => (seq !== null && BigInt(seq) > last ? BigInt(seq) : last),
    -1n,
  );
}

/** Formats an event's body for reading. */
export function formatBody(body: unknown): string {
  return JSON.stringify(body, null, 2);
}
