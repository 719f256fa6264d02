// What a person does with one review: look, claim, correct, decide; and what can come between. It holds only what the
// person has typed and what they have looked at; what is true the server says, and every reading of it comes in as SEEN.
import { assign, type SnapshotFrom, setup } from 'xstate';
import type { Failure, Refusal } from '../../lib/refusals';

/** Where the review stands for this person. */
export type Standing = 'open' | 'mine' | 'others' | 'decided' | 'cancelled';

export type Verdict = 'APPROVE' | 'REJECT' | 'RETURN' | 'ESCALATE';

/** The review as the page last read it. */
export interface Seen {
  /** Given back with every command, so that nothing is decided that was not looked at. */
  version: string;
  standing: Standing;
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

interface Context {
  seen: Seen;
  /** The values the person has had before their eyes while they held the review; null until they hold it. */
  looked: Readonly<Record<string, string>> | null;
  typed: TypedValues;
  reason: string;
  verdict: Verdict | null;
  /** The command is sent with confirm. */
  confirmed: boolean;
  /** A command was too late: the next reading decides what to show. */
  awaiting: boolean;
  /** Something changed that no field shows. */
  moved: boolean;
  refusals: readonly Refusal[];
  failure: Failure | null;
  outcome: 'decided' | 'handedOn' | null;
}

type Event =
  | { type: 'SEEN'; seen: Seen }
  | { type: 'CLAIM' }
  | { type: 'RELEASE' }
  | { type: 'TYPE'; name: string; value: string }
  | { type: 'UNDO'; name: string }
  | { type: 'WRITE_REASON'; text: string }
  | { type: 'RESTORE'; typed: TypedValues; reason: string }
  | { type: 'SAVE' }
  | { type: 'CONFIRM' }
  | { type: 'CANCEL' }
  | { type: 'ASK'; verdict: Verdict }
  | { type: 'DECIDE' }
  | { type: 'KEEP'; name: string }
  | { type: 'TAKE'; name: string }
  | { type: 'NOTED' }
  /** The command under way was done; the review after it. */
  | { type: 'DONE'; seen: Seen }
  | { type: 'CONFIRMATION_NEEDED'; refusals: readonly Refusal[] }
  | { type: 'STALE' }
  | { type: 'LOST'; holder: string | null }
  /** Heard beside the commands, by a sign of life or a draft. */
  | { type: 'GONE'; holder: string | null }
  | { type: 'REFUSED'; refusals: readonly Refusal[] }
  | { type: 'FAILED'; failure: Failure };

/** The fields of which there are two versions: typed over a value that has changed, or changed since they were looked at. */
export function differences(context: Pick<Context, 'seen' | 'looked' | 'typed'>): Difference[] {
  const { seen, looked, typed } = context;
  return Object.keys(seen.values).flatMap((name): Difference[] => {
    const theirs = seen.values[name] ?? '';
    const mine = typed[name];
    if (mine)
      return mine.base === theirs ? [] : [{ name, mine: mine.value, before: mine.base, theirs }];
    const before = looked?.[name] ?? theirs;
    return before === theirs ? [] : [{ name, mine: null, before, theirs }];
  });
}

/** What is typed and still says something: not what the server has by now. */
function stillTyped(typed: TypedValues, values: Readonly<Record<string, string>>): TypedValues {
  return Object.fromEntries(
    Object.entries(typed).filter(([name, one]) => one.value !== (values[name] ?? '')),
  );
}

function without(typed: TypedValues, name: string): TypedValues {
  return Object.fromEntries(Object.entries(typed).filter(([other]) => other !== name));
}

const needsReason = (verdict: Verdict) => verdict !== 'APPROVE';

const quiet = { refusals: [], failure: null } as const;

const base = setup({
  types: { context: {} as Context, events: {} as Event, input: {} as { seen: Seen } },
  guards: {
    mine: ({ context }) => context.seen.standing === 'mine',
    decided: ({ context }) => context.seen.standing === 'decided',
    cancelled: ({ context }) => context.seen.standing === 'cancelled',
    away: ({ context }) => context.seen.standing === 'open' || context.seen.standing === 'others',
    claimable: ({ context }) => context.seen.standing === 'open',
    hasTyped: ({ context }) => Object.keys(context.typed).length > 0,
    noneTyped: ({ context }) => Object.keys(context.typed).length === 0,
    differs: ({ context }) => context.awaiting || differences(context).length > 0,
    agrees: ({ context }) => !context.awaiting && differences(context).length === 0,
    onlyTheirs: ({ context }) =>
      !context.awaiting && differences(context).every((one) => one.mine === null),
    reasonGiven: ({ context, event }) => {
      const verdict = event.type === 'ASK' ? event.verdict : context.verdict;
      return verdict !== null && (!needsReason(verdict) || context.reason.trim() !== '');
    },
    isDifferent: ({ context, event }) =>
      (event.type === 'KEEP' || event.type === 'TAKE') &&
      differences(context).some((one) => one.name === event.name && one.mine !== null),
    handedOn: ({ context, event }) =>
      event.type === 'DONE' && context.confirmed && event.seen.standing !== 'mine',
  },
  actions: {
    see: assign(({ context, event }) => {
      if (event.type !== 'SEEN' && event.type !== 'DONE') return {};
      const typed = stillTyped(context.typed, event.seen.values);
      const after = { seen: event.seen, looked: context.looked, typed };
      const moved = context.awaiting && differences(after).length === 0;
      return { seen: event.seen, typed, awaiting: false, moved: context.moved || moved };
    }),
    /** What was saved is what the person has now looked at; what was typed since stays typed. */
    saved: assign(({ context, event }) =>
      event.type === 'DONE'
        ? {
            looked: event.seen.values,
            typed: rebased(context.typed, event.seen.values),
            moved: false,
          }
        : {},
    ),
    look: assign(({ context }) => ({ looked: context.looked ?? context.seen.values })),
    forgetLooked: assign({ looked: null }),
    type: assign(({ context, event }) => {
      if (event.type !== 'TYPE') return {};
      const before = context.typed[event.name]?.base ?? context.seen.values[event.name] ?? '';
      const typed = { ...context.typed, [event.name]: { value: event.value, base: before } };
      return {
        typed: event.value === before ? without(context.typed, event.name) : typed,
        ...quiet,
        moved: false,
      };
    }),
    undo: assign(({ context, event }) =>
      event.type === 'UNDO' ? { typed: without(context.typed, event.name), ...quiet } : {},
    ),
    write: assign(({ event }) => (event.type === 'WRITE_REASON' ? { reason: event.text } : {})),
    restore: assign(({ context, event }) =>
      event.type === 'RESTORE'
        ? {
            typed: stillTyped({ ...event.typed, ...context.typed }, context.seen.values),
            reason: context.reason || event.reason,
          }
        : {},
    ),
    hush: assign({ ...quiet, moved: false }),
    confirm: assign({ confirmed: true }),
    unconfirm: assign({ confirmed: false }),
    ask: assign(({ event }) => (event.type === 'ASK' ? { verdict: event.verdict } : {})),
    tell: assign(({ event }) => {
      if (event.type === 'REFUSED' || event.type === 'CONFIRMATION_NEEDED')
        return { refusals: event.refusals, failure: null };
      return event.type === 'FAILED' ? { failure: event.failure, refusals: [] } : {};
    }),
    await: assign({ awaiting: true, ...quiet }),
    drop: assign(({ context, event }) =>
      event.type === 'LOST' || event.type === 'GONE'
        ? {
            seen: {
              ...context.seen,
              standing: event.holder ? ('others' as const) : ('open' as const),
              holder: event.holder,
            },
          }
        : {},
    ),
    keep: assign(({ context, event }) => {
      const mine = event.type === 'KEEP' ? context.typed[event.name] : undefined;
      if (event.type !== 'KEEP' || !mine) return {};
      const theirs = context.seen.values[event.name] ?? '';
      return {
        typed: { ...context.typed, [event.name]: { value: mine.value, base: theirs } },
        looked: lookedAt(context, event.name),
      };
    }),
    take: assign(({ context, event }) =>
      event.type === 'TAKE'
        ? { typed: without(context.typed, event.name), looked: lookedAt(context, event.name) }
        : {},
    ),
    noted: assign(({ context }) => ({ looked: context.seen.values })),
    handOn: assign({ outcome: 'handedOn' }),
    finish: assign({ outcome: 'decided', typed: {} }),
  },
});

function lookedAt(context: Context, name: string): Readonly<Record<string, string>> {
  return { ...context.looked, [name]: context.seen.values[name] ?? '' };
}

function rebased(typed: TypedValues, values: Readonly<Record<string, string>>): TypedValues {
  const kept = Object.entries(typed).filter(([name, one]) => one.value !== (values[name] ?? ''));
  return Object.fromEntries(
    kept.map(([name, one]) => [name, { value: one.value, base: values[name] ?? '' }]),
  );
}

/** Wherever the person holds it, a reading can say that they no longer do. */
const ends = [
  { guard: 'decided', target: '#review.done' },
  { guard: 'cancelled', target: '#review.closed' },
  { guard: 'away', target: '#review.lost' },
] as const;

/** What can be typed at any time while the review is held. */
const typing = {
  TYPE: { actions: 'type' },
  UNDO: { actions: 'undo' },
  WRITE_REASON: { actions: 'write' },
  RESTORE: { actions: 'restore' },
} as const;

/** How every command can end beside being done. */
const answers = {
  SEEN: { actions: 'see' },
  STALE: { target: '#review.mine.conflict', actions: 'await' },
  LOST: { target: '#review.lost', actions: 'drop' },
  REFUSED: { target: '#review.mine', actions: 'tell' },
  FAILED: { target: '#review.mine', actions: 'tell' },
} as const;

export const reviewMachine = base.createMachine({
  id: 'review',
  initial: 'viewing',
  context: ({ input }) => ({
    seen: input.seen,
    looked: null,
    typed: {},
    reason: '',
    verdict: null,
    confirmed: false,
    awaiting: false,
    moved: false,
    refusals: [],
    failure: null,
    outcome: null,
  }),
  states: {
    /** The review is nobody's or somebody else's; it can be read. */
    viewing: {
      always: [
        { guard: 'decided', target: 'done' },
        { guard: 'cancelled', target: 'closed' },
        { guard: 'mine', target: 'mine' },
      ],
      entry: 'forgetLooked',
      on: {
        SEEN: { actions: 'see' },
        CLAIM: { guard: 'claimable', target: 'claiming', actions: 'hush' },
      },
    },
    claiming: {
      on: {
        SEEN: { actions: 'see' },
        DONE: { target: 'mine', actions: 'see' },
        REFUSED: { target: 'settling', actions: 'tell' },
        FAILED: { target: 'settling', actions: 'tell' },
        STALE: 'settling',
        LOST: 'settling',
      },
    },
    /** Where a claim that was not granted leads back to. */
    settling: { always: [{ guard: 'noneTyped', target: 'viewing' }, { target: 'lost' }] },
    mine: {
      initial: 'resting',
      entry: ['look', 'unconfirm'],
      // A sign of life can learn at any moment that the claim is gone. While a command is under way, it may be gone by
      // that very command, whose answer says so.
      on: { GONE: { target: 'lost', actions: 'drop' } },
      states: {
        resting: {
          always: [
            ...ends,
            { guard: 'differs', target: 'conflict' },
            { guard: 'hasTyped', target: 'editing' },
          ],
          on: {
            ...typing,
            SEEN: { actions: 'see' },
            ASK: { guard: 'reasonGiven', target: 'asking', actions: ['hush', 'ask'] },
            RELEASE: { target: '#review.releasing', actions: 'hush' },
          },
        },
        editing: {
          always: [
            ...ends,
            { guard: 'differs', target: 'conflict' },
            { guard: 'noneTyped', target: 'resting' },
          ],
          on: {
            ...typing,
            SEEN: { actions: 'see' },
            SAVE: { target: '#review.saving', actions: 'hush' },
            RELEASE: { target: '#review.releasing', actions: 'hush' },
          },
        },
        /** The save has a consequence; the person is asked. */
        confirming: {
          always: [...ends, { guard: 'differs', target: 'conflict' }],
          on: {
            SEEN: { actions: 'see' },
            CONFIRM: { target: '#review.saving', actions: ['hush', 'confirm'] },
            CANCEL: { target: 'editing', actions: 'hush' },
          },
        },
        /** A verdict was chosen; the person is asked once more. */
        asking: {
          always: [...ends, { guard: 'differs', target: 'conflict' }],
          on: {
            WRITE_REASON: { actions: 'write' },
            SEEN: { actions: 'see' },
            DECIDE: { guard: 'reasonGiven', target: '#review.deciding', actions: 'hush' },
            CANCEL: { target: 'resting' },
          },
        },
        /** There are two versions: nothing is sent until the person has seen both. */
        conflict: {
          always: [...ends, { guard: 'agrees', target: 'resting' }],
          on: {
            WRITE_REASON: { actions: 'write' },
            SEEN: { actions: 'see' },
            KEEP: { guard: 'isDifferent', actions: 'keep' },
            TAKE: { guard: 'isDifferent', actions: 'take' },
            NOTED: { guard: 'onlyTheirs', actions: 'noted' },
            RELEASE: { target: '#review.releasing', actions: 'hush' },
          },
        },
      },
    },
    saving: {
      on: {
        ...answers,
        ...typing,
        DONE: [
          { guard: 'handedOn', target: 'done', actions: ['see', 'saved', 'handOn'] },
          { target: 'mine', actions: ['see', 'saved'] },
        ],
        CONFIRMATION_NEEDED: { target: '#review.mine.confirming', actions: 'tell' },
      },
    },
    deciding: { on: { ...answers, DONE: { target: 'done', actions: ['see', 'finish'] } } },
    releasing: { on: { ...answers, DONE: { target: 'viewing', actions: 'see' } } },
    /** The claim ran out or was taken away; what was typed is still here. */
    lost: {
      always: [
        { guard: 'decided', target: 'done' },
        { guard: 'cancelled', target: 'closed' },
        { guard: 'mine', target: 'mine' },
      ],
      on: {
        SEEN: { actions: 'see' },
        CLAIM: { guard: 'claimable', target: 'claiming', actions: 'hush' },
      },
    },
    /** Decided, here or elsewhere, or handed on. */
    done: { on: { SEEN: { actions: 'see' } } },
    /** The case no longer needs this review. */
    closed: { on: { SEEN: { actions: 'see' } } },
  },
});

export type ReviewSnapshot = SnapshotFrom<typeof reviewMachine>;
export type ReviewEvent = Event;
export type ReviewState =
  | 'viewing'
  | 'claiming'
  | 'mine'
  | 'saving'
  | 'deciding'
  | 'releasing'
  | 'lost'
  | 'done'
  | 'closed';
