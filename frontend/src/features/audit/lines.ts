// The kinds of lines in an audit trail.
import type { TrailLineFragment } from '../../graphql/generated/graphql';

export type Line = TrailLineFragment;

/** What a line records: an event of the case, a read access, or a refused command. */
export type LineKind = 'events' | 'accesses' | 'refusals';

export const lineKinds: readonly LineKind[] = ['events', 'accesses', 'refusals'];

export function lineKindOf(line: Pick<Line, 'kind' | 'code'>): LineKind {
  if (line.kind === 'EVENT') return 'events';
  // A question for confirmation denies nothing: the person was asked, and may have confirmed.
  return line.code && line.code !== confirmation ? 'refusals' : 'accesses';
}

/** The code of a command that asked for a confirmation. */
export const confirmation = 'ConfirmationNeeded';

/** Consecutive views of the same thing by the same person, as one entry of the trail. */
export interface Entry {
  line: Line;
  /** The number of views; 1 for every other line. A page that sends several requests is one view. */
  count: number;
  /** The number of recorded requests of these views. */
  requests: number;
  /** The time of the last view. */
  until: string;
}

/** Requests of one page or command follow each other within this time, in milliseconds. */
const burst = 3_000;

/** Groups consecutive views of the same thing by the same person. */
export function groupViews(lines: readonly Line[]): Entry[] {
  const entries: Entry[] = [];
  for (const line of lines) {
    const last = entries.at(-1);
    if (last && isSameView(last.line, line)) {
      last.requests++;
      // An unknown time is a view of its own, so that none is hidden.
      if (!(Date.parse(line.at) - Date.parse(last.until) <= burst)) last.count++;
      last.until = line.at;
    } else {
      entries.push({ line, count: 1, requests: 1, until: line.at });
    }
  }
  return entries;
}

function isSameView(one: Line, other: Line): boolean {
  return (
    one.kind === 'ACCESS' &&
    other.kind === 'ACCESS' &&
    !one.code &&
    !other.code &&
    one.type === other.type &&
    one.object === other.object &&
    one.actor?.id === other.actor?.id &&
    one.onBehalfOf?.id === other.onBehalfOf?.id
  );
}

/** A corrected value with the one before; empty for none. */
export interface CorrectedValue {
  name: string;
  before: string;
  after: string;
}

/** The values that an event corrected; none for other events. */
export function correctedValues(line: Pick<Line, 'type' | 'body'>): CorrectedValue[] {
  if (line.type !== 'fields.corrected') return [];
  const { fields } = (line.body ?? {}) as { fields?: Partial<CorrectedValue>[] };
  return (fields ?? []).map(({ name = '', before = '', after = '' }) => ({ name, before, after }));
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
