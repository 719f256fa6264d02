// The values of a review: those of the server, those the reviewer has typed, and the differences between them.

/** Where the review stands for this person. */
export type ViewerStatus = 'open' | 'mine' | 'others' | 'decided' | 'cancelled';

export type Verdict = 'APPROVE' | 'REJECT' | 'RETURN' | 'ESCALATE';

/** The review as the page last read it. */
export interface ServerState {
  /** Given back with every command, so that nothing is decided that was not looked at. */
  version: string;
  viewerStatus: ViewerStatus;
  /** Who holds it, when somebody else does. */
  holder: string | null;
  /** The present value of each field, as plain text. */
  values: Readonly<Record<string, string>>;
  /** Who changed values last, null when nobody has. */
  corrector: { name: string; self: boolean } | null;
}

/** A value that is typed and not yet saved, and the value it was typed over. */
export interface Typed {
  value: string;
  base: string;
}

export type TypedValues = Readonly<Record<string, Typed>>;

/** One field of which there are two versions now. `mine` is null where only the server's changed. */
export interface Difference {
  name: string;
  mine: string | null;
  before: string;
  theirs: string;
}

/** What differences compares. */
interface ComparedValues {
  serverState: ServerState;
  reviewedValues: Readonly<Record<string, string>> | null;
  typed: TypedValues;
}

/** The fields of which there are two versions: typed over a value that has changed, or changed since they were looked at. */
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

/** What is typed and still says something: not what the server has by now. */
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

/** The values that still differ from the server's, each based on the server's present value. */
export function rebased(typed: TypedValues, values: Readonly<Record<string, string>>): TypedValues {
  const changed = Object.entries(typed).filter(
    ([name, value]) => value.value !== (values[name] ?? ''),
  );
  return Object.fromEntries(
    changed.map(([name, one]) => [name, { value: one.value, base: values[name] ?? '' }]),
  );
}
