// What a node means, whatever its text leaves out: two nodes that the server parses alike have one meaning.
import { type DesignNode, isRecord, listOf } from './design';

type Values = Readonly<Record<string, unknown>>;

/** The attributes of a node in one form, without those that state their default (workflow/parse.go). */
export function meaningOf({ kind, attributes }: DesignNode): Values {
  const stated = withDone(kind, attributes);
  const usual = usualOf(kind, attributes);
  const meaning: Record<string, unknown> = {};
  for (const [name, written] of Object.entries(stated)) {
    const value =
      name === 'bulk' ? bulk(written, attributes.undo) : normalValue(kind, name, written);
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(usual[name]))
      meaning[name] = value;
  }
  return sorted(meaning);
}

/** The attributes of one node that another text of it states with another meaning. */
export function differing(one: DesignNode, other: DesignNode): (name: string) => boolean {
  const [a, b] = [meaningOf(one), meaningOf(other)];
  const differs = (name: string) => JSON.stringify(a[name]) !== JSON.stringify(b[name]);
  return (name) => differs(name) || (name === 'next' && differs('on'));
}

export const sameMeaning = (one: DesignNode, other: DesignNode): boolean =>
  JSON.stringify(meaningOf(one)) === JSON.stringify(meaningOf(other));

/** Work with one outcome can name its target as `next`. */
function withDone(kind: string, attributes: Values): Values {
  const { next, ...rest } = attributes;
  const hasOutcomes = kind === 'stage' || kind === 'external' || kind === 'call';
  if (!hasOutcomes || !next || attributes.on !== undefined) return attributes;
  return { ...rest, on: { done: next } };
}

/** What holds without an attribute, in the form of normalValue. */
function usualOf(kind: string, attributes: Values): Values {
  const common = { behaviour: kind };
  const attempts = { attempts: 3, backoff: nanoseconds('1s') };
  switch (kind) {
    case 'stage':
      return {
        ...common,
        ...attempts,
        queue: attributes.behaviour === 'parse' ? 'model' : 'light',
        status: stageStatus(attributes.outcome),
        required: false,
        waits_for_budget: false,
      };
    case 'external':
      return {
        ...common,
        ...attempts,
        lease: nanoseconds('5m'),
        pays: true,
        status: 'processing',
      };
    case 'saga':
      return { ...common, ...attempts, status: 'approved' };
    case 'timer':
      return { ...common, status: 'processing' };
    case 'review':
      return { ...common, ...usualReview(attributes) };
    default:
      return common;
  }
}

function stageStatus(outcome: unknown): string {
  if (outcome === 'archived') return 'approved';
  return outcome ? 'settling' : 'processing';
}

function usualReview({ level, seats, queue }: Values): Values {
  const ownLevel = level ?? 1;
  return {
    level: 1,
    duty: 'approval',
    seats: 1,
    quorum: seats ?? 1,
    decide_by: 'first_rejection',
    abstain: false,
    votes: 'open',
    chair_level: ownLevel,
    veto_level: ownLevel,
    claim_within: nanoseconds('2h'),
    decide_within: nanoseconds('24h'),
    overdue: 'alert',
    escalate_to: queue === 'L2' ? '' : 'L2',
    escalate_level: typeof ownLevel === 'number' ? Math.min(ownLevel + 1, 9) : undefined,
    undo: nanoseconds('0s'),
    status: 'in_review',
  };
}

const durations = ['backoff', 'lease', 'after', 'claim_within', 'decide_within', 'undo'];
/** An empty text is no value, except for a review that is not escalated. */
const mayBeEmpty = ['escalate_to'];

/** The value of an attribute in one form; undefined if it says nothing. */
function normalValue(kind: string, name: string, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (value === '' && !mayBeEmpty.includes(name)) return undefined;
  if (Array.isArray(value) && value.length === 0) return undefined;
  if (durations.includes(name)) return nanoseconds(value);
  switch (name) {
    case 'on':
      return isRecord(value) ? outcomes(kind, value) : value;
    case 'timeout':
      return isRecord(value) ? { ...target(value), after: nanoseconds(value.after) } : value;
    case 'errors':
      return listOf(value).map((one) =>
        isRecord(one) ? { ...target(one), codes: listOf(one.codes) } : one,
      );
    case 'remind':
      return listOf(value)
        .map(nanoseconds)
        .sort((a, b) => Number(b) - Number(a));
    default:
      if (Array.isArray(value)) return value.map((one) => (isRecord(one) ? sorted(one) : one));
      return isRecord(value) ? sorted(value) : value;
  }
}

/** The undo time of bulk approvals is that of the review, unless it is stated. */
function bulk(value: unknown, undo: unknown): unknown {
  if (!isRecord(value)) return value ?? undefined;
  return sorted({ ...value, undo: nanoseconds(value.undo || undo || '0s') });
}

function outcomes(kind: string, on: Values): Values {
  return sorted(
    Object.fromEntries(
      Object.entries(on).map(([name, to]) => {
        const { to: id, cancel } = target(to);
        // A return always withdraws all other work.
        const returns = kind === 'review' && name === 'return';
        return [name, returns && cancel === 'all' ? { to: id } : { to: id, cancel }];
      }),
    ),
  );
}

/** A target, which is an id or a mapping. */
function target(to: unknown): { to: unknown; cancel?: unknown } {
  if (!isRecord(to)) return { to: to ?? '' };
  const nothing = !to.cancel || (Array.isArray(to.cancel) && to.cancel.length === 0);
  return { to: to.to ?? '', cancel: nothing ? undefined : to.cancel };
}

const unit: Readonly<Record<string, number>> = {
  h: 3_600e9,
  m: 60e9,
  s: 1e9,
  ms: 1e6,
  us: 1e3,
  µs: 1e3,
  ns: 1,
};

/** A duration such as "1h30m" as a number; what is none stays as it is. */
function nanoseconds(text: unknown): unknown {
  if (typeof text !== 'string' || !/^(\d{1,9}(\.\d{1,9})?(h|ms|m|s|us|µs|ns))+$/.test(text))
    return text;
  let sum = 0;
  for (const [, count, name] of text.matchAll(/([\d.]+)(h|ms|m|s|us|µs|ns)/g))
    sum += Math.round(Number(count) * (unit[String(name)] ?? 0));
  return sum;
}

/** A mapping has no order. */
function sorted(values: Values): Values {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}
