// The values of a review: the server's, the typed ones, and their differences.
import { isOlder, versionRank } from '../../graphql/cache-updates';
import type { Refusal } from '../../lib/refusals';
import type { Entered } from './review-context';

/** The status of the review for the current user. */
export type ViewerStatus = 'open' | 'mine' | 'others' | 'decided' | 'cancelled';

/** The duty of reviews in which missing values are named. */
export const repairDuty = 'repair';

export type Verdict = 'APPROVE' | 'REJECT' | 'RETURN' | 'ESCALATE' | 'REPAIRED' | 'ABSTAIN';

/** The review as last read from the server. */
export interface ServerState {
  /** Sent with every command, so that a decision never covers values that the user has not seen. */
  version: string;
  viewerStatus: ViewerStatus;
  /** The assignee, if it is another user. */
  holder: string | null;
  /** The present value of each field as plain text. */
  values: Readonly<Record<string, string>>;
  /** What a decision is about beside the fields, each part as a text that is only compared. */
  parts: Readonly<Record<ReviewPart, string>>;
}

/** What a decision is about beside the fields. */
export const reviewParts = [
  'document',
  'findings',
  'explanations',
  'amount',
  'order',
  'grounds',
  'lines',
] as const;

export type ReviewPart = (typeof reviewParts)[number];

/** The parts that differ between two states. */
export function changedParts(before: ServerState, after: ServerState): ReviewPart[] {
  return reviewParts.filter((part) => before.parts[part] !== after.parts[part]);
}

/** Whether both states are about the same facts of the case: the second number of the version. */
export function sameFacts(before: ServerState, after: ServerState): boolean {
  return versionRank(before.version)?.[1] === versionRank(after.version)?.[1];
}

/** Whether the first state is older than the second. */
export function isOutdated(first: ServerState, second: ServerState): boolean {
  const [one, other] = [versionRank(first.version), versionRank(second.version)];
  return one !== null && other !== null && isOlder(one, other);
}

/** Whether the review had ended and, in the newer state, has not. */
export function isUndone(before: ServerState, after: ServerState): boolean {
  const ended = ({ viewerStatus }: ServerState) =>
    viewerStatus === 'decided' || viewerStatus === 'cancelled';
  return ended(before) && !ended(after) && !isOutdated(after, before);
}

/** A typed, unsaved value and the value it replaces. */
export interface Typed {
  value: string;
  base: string;
}

export type TypedValues = Readonly<Record<string, Typed>>;

/** A field with two versions. `mine` is null if only the server's value has changed. */
export interface Difference {
  name: string;
  mine: string | null;
  before: string;
  theirs: string;
}

/** The input of `differences`. */
interface ComparedValues {
  serverState: ServerState;
  reviewedValues: Readonly<Record<string, string>> | null;
  typed: TypedValues;
}

/**
 * The fields with two versions: typed over a value that has changed, or changed since they were
 * reviewed.
 */
export function differences(context: ComparedValues): Difference[] {
  const { serverState, reviewedValues, typed } = context;
  return Object.keys(serverState.values).flatMap((name): Difference[] => {
    const theirs = serverState.values[name] ?? '';
    const mine = typed[name];
    if (mine)
      return mine.base === theirs ? [] : [{ name, mine: mine.value, before: mine.base, theirs }];
    const before = reviewedValues?.[name] ?? theirs;
    return before === theirs ? [] : [{ name, mine: null, before, theirs }];
  });
}

/** The typed values that still differ from the server's. */
export function unsavedValues(
  typed: TypedValues,
  values: Readonly<Record<string, string>>,
): TypedValues {
  return Object.fromEntries(
    Object.entries(typed).filter(([name, value]) => value.value !== (values[name] ?? '')),
  );
}

export function without(typed: TypedValues, name: string): TypedValues {
  return Object.fromEntries(Object.entries(typed).filter(([other]) => other !== name));
}

/** The typed values other than the sent ones. */
export function typedAfter(typed: TypedValues, sent: TypedValues): TypedValues {
  return Object.fromEntries(
    Object.entries(typed).filter(([name, one]) => one.value !== sent[name]?.value),
  );
}

/** The typed values that still differ from the server's, based on the server's present values. */
export function rebased(typed: TypedValues, values: Readonly<Record<string, string>>): TypedValues {
  const changed = Object.entries(typed).filter(
    ([name, value]) => value.value !== (values[name] ?? ''),
  );
  return Object.fromEntries(
    changed.map(([name, one]) => [name, { value: one.value, base: values[name] ?? '' }]),
  );
}

/** What the server says the user entered of their own; an account and a payee are one for it. */
export function enteredOf(refusals: readonly Refusal[], sent: TypedValues): Entered[] {
  const values = refusals.flatMap(({ values }) => values ?? []);
  const names = values.find(({ name }) => name === 'entered')?.value.split(',') ?? [];
  return names.flatMap((name): Entered[] => {
    if (name === 'amount' || name === 'country') return [name];
    if (name !== 'payee') return [];
    const [payee, account] = ['vendor', 'iban'].map((field) => sent[field] !== undefined);
    return account ? (payee ? ['payee', 'account'] : ['account']) : ['payee'];
  });
}
