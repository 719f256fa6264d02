// The repair of one incident, as a person does it: ask for the failed step again, and believe that it works only when that
// very step has passed. What the server answers to the command means "queued again"; the truth comes by the case's events.
import { assign, type EventObject, fromCallback, fromPromise, setup } from 'xstate';
import type { Failure, Refusal } from '../../lib/refusals';

/** The way out that was chosen, as the log names it. */
export type Way = 'retry' | 'replace' | 'enter' | 'abandon';

/** How a command was answered. */
export type Answer =
  | { kind: 'accepted' }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'failed'; failure: Failure };

/** The failed step as it was last known. */
export interface Cause {
  node: string;
  attempt: number;
  code: string;
  message: string;
}

export interface RepairInput extends Cause {
  caseId: string;
  /** Where in the case's log the incident was read. */
  cursor: string;
  /** Version of the incident; null = not read yet. */
  version: string | null;
}

interface Context extends RepairInput {
  /** The failure is another one than that which the person set out to repair. */
  again: boolean;
  way: Way;
  /** Who chose the way, where it was somebody else. */
  by: string | null;
  /** The attempt that comes by itself, while the step fails on. */
  nextAttempt: number | null;
  reason: string;
  problem: Exclude<Answer, { kind: 'accepted' }> | null;
}

/** What the case's log tells a repair. */
export type Heard =
  | { type: 'resolved'; way: Way; by: string | null }
  | { type: 'retrying'; nextAttempt: number }
  | { type: 'passed'; node: string }
  | ({ type: 'opened' } & Cause)
  /** The case has come to its end. */
  | { type: 'ended' }
  | { type: 'abandoned' };

type Event =
  | Heard
  | { type: 'retry' }
  | { type: 'abandon'; reason: string }
  | { type: 'known'; version: string };

const machine = setup({
  types: { context: {} as Context, events: {} as Event, input: {} as RepairInput },
  actors: {
    /** Follows the case's log after the cursor. */
    follow: fromCallback<EventObject, { caseId: string; cursor: string }>(() => undefined),
    retry: fromPromise<Answer, { caseId: string; version: string | null }>(() =>
      Promise.reject(new Error('not provided')),
    ),
    abandon: fromPromise<Answer, { caseId: string; reason: string }>(() =>
      Promise.reject(new Error('not provided')),
    ),
  },
  guards: {
    thisStep: ({ context, event }) => event.type === 'passed' && event.node === context.node,
  },
  actions: {
    begin: assign({ problem: null }),
    resolved: assign(({ event }) =>
      event.type === 'resolved'
        ? { way: event.way, by: event.by, nextAttempt: null, problem: null }
        : {},
    ),
    opened: assign(({ event }) => {
      if (event.type !== 'opened') return {};
      const { node, attempt, code, message } = event;
      return {
        node,
        attempt,
        code,
        message,
        version: null,
        again: true,
        nextAttempt: null,
        problem: null,
      };
    }),
    /** Why a command was not done; its answer is the output of the actor that sent it. */
    refused: assign(({ event }) => {
      const { output } = event as unknown as { output: Answer };
      return output.kind === 'accepted' ? {} : { problem: output };
    }),
    lost: assign({ problem: { kind: 'failed', failure: { code: 'Network', message: '' } } }),
    retried: assign({ way: 'retry', by: null }),
    givenUp: assign({ way: 'abandon', by: null }),
  },
});

/** Where a way leads that was chosen, whoever chose it. */
const chosen = [
  {
    guard: ({ event }: { event: Event }) =>
      event.type === 'resolved' && (event.way === 'retry' || event.way === 'replace'),
    target: 'asked' as const,
    actions: 'resolved' as const,
  },
  { target: 'answered' as const, actions: 'resolved' as const },
];

export const repairMachine = machine.createMachine({
  id: 'repair',
  context: ({ input }) => ({
    ...input,
    again: false,
    way: 'retry',
    by: null,
    nextAttempt: null,
    reason: '',
    problem: null,
  }),
  invoke: {
    src: 'follow',
    input: ({ context }) => ({ caseId: context.caseId, cursor: context.cursor }),
  },
  initial: 'standing',
  states: {
    /** The step has failed for good and waits for a person. */
    standing: {
      on: {
        retry: { target: 'asking', actions: 'begin' },
        abandon: {
          target: 'givingUp',
          actions: assign(({ event }) => ({ reason: event.reason, problem: null })),
        },
        known: { actions: assign(({ event }) => ({ version: event.version })) },
        resolved: chosen,
        opened: { actions: 'opened' },
        abandoned: { target: 'answered', actions: 'givenUp' },
        ended: 'passed',
      },
    },
    /** The command is on its way. */
    asking: {
      invoke: {
        src: 'retry',
        input: ({ context }) => ({ caseId: context.caseId, version: context.version }),
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'accepted',
            target: 'asked',
            actions: 'retried',
          },
          { target: 'standing', actions: 'refused' },
        ],
        onError: { target: 'standing', actions: 'lost' },
      },
      on: {
        resolved: chosen,
        opened: { target: 'standing', actions: 'opened' },
        abandoned: { target: 'answered', actions: 'givenUp' },
      },
    },
    givingUp: {
      invoke: {
        src: 'abandon',
        input: ({ context }) => ({ caseId: context.caseId, reason: context.reason }),
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'accepted',
            target: 'answered',
            actions: 'givenUp',
          },
          { target: 'standing', actions: 'refused' },
        ],
        onError: { target: 'standing', actions: 'lost' },
      },
      on: { resolved: chosen, abandoned: { target: 'answered', actions: 'givenUp' } },
    },
    /** Asked for again, not yet passed. */
    asked: {
      on: {
        retrying: { actions: assign(({ event }) => ({ nextAttempt: event.nextAttempt })) },
        passed: { guard: 'thisStep', target: 'passed' },
        ended: 'passed',
        opened: { target: 'standing', actions: 'opened' },
        resolved: chosen,
        abandoned: { target: 'answered', actions: 'givenUp' },
      },
    },
    /** The very step that had failed has passed. */
    passed: { type: 'final' },
    /** Nobody waits for the step any more: values were entered, or the case was given up. */
    answered: { type: 'final' },
  },
});

const ways: readonly string[] = ['retry', 'replace', 'enter', 'abandon'];

interface LogEvent {
  type: string;
  body?: unknown;
  actor?: { id: string; name: string } | null;
}

/** Whether the id of the API is that of the person, whose own id the session tells without its kind. */
export function isPerson(id: string, own: string): boolean {
  if (id === own) return true;
  try {
    return own !== '' && atob(id.replaceAll('-', '+').replaceAll('_', '/')).endsWith(`:${own}`);
  } catch {
    return false;
  }
}

/** An event of the log as the repair takes it, read by the person `me`; null where it says nothing about a repair. */
export function heardOf(event: LogEvent, me: string): Heard | null {
  const body = (event.body ?? {}) as Record<string, unknown>;
  const text = (name: string) => (typeof body[name] === 'string' ? body[name] : '');
  const number = (name: string) => (typeof body[name] === 'number' ? body[name] : 0);
  switch (event.type) {
    case 'incident.resolved':
      return {
        type: 'resolved',
        way: (ways.includes(text('how')) ? text('how') : 'retry') as Way,
        by: event.actor && !isPerson(event.actor.id, me) ? event.actor.name : null,
      };
    case 'stage.retrying':
      return { type: 'retrying', nextAttempt: number('nextAttempt') };
    case 'stage.completed':
      return { type: 'passed', node: text('node') };
    case 'incident.opened':
      return {
        type: 'opened',
        node: text('node'),
        attempt: number('attempt'),
        code: text('code'),
        message: text('message'),
      };
    case 'case.abandoned':
      return { type: 'abandoned' };
    case 'case.archived':
    case 'case.rejected':
      return { type: 'ended' };
    default:
      return null;
  }
}
