// The sorts of lines in a trail.
import type { TrailLineFragment } from '../../graphql/generated/graphql';

export type Line = TrailLineFragment;

/** What a line tells of: a fact of the case's log, a look at it, or a command that was refused. */
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

/** Number of the newest fact among the lines; -1 for none. */
export function lastSeq(lines: readonly Pick<Line, 'seq'>[]): bigint {
  return lines.reduce(
    (last, { seq }) => (seq !== null && BigInt(seq) > last ? BigInt(seq) : last),
    -1n,
  );
}

/** The body as people read it. */
export function formatBody(body: unknown): string {
  return JSON.stringify(body, null, 2);
}
