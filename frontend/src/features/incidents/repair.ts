// The repair of one incident. A retry counts as successful only when the failed step has completed:
// the response to the command only means that the step is queued, so the machine follows the events
// of the case.
import { assign, type EventObject, fromCallback, fromPromise, setup } from 'xstate';
import { plainID } from '../../lib/plain-id';
import type { Failure, Refusal } from '../../lib/refusals';

/** The chosen recovery action, as events name it. */
export type RecoveryAction = 'retry' | 'replace' | 'enter' | 'abandon';

/** The result of a command. */
export type CommandResult =
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
  /** The position in the case's event log at which the incident was read. */
  cursor: string;
  /** The version of the incident; null if it was not read yet. */
  version: string | null;
}

interface Context extends RepairInput {
  /** The step failed again after the user's retry. */
  failedAgain: boolean;
  action: RecoveryAction;
  /** The person who chose the action, if it was not the user. */
  by: string | null;
  /** The next automatic attempt, while the step keeps failing. */
  nextAttempt: number | null;
  reason: string;
  problem: Exclude<CommandResult, { kind: 'accepted' }> | null;
}

/** Events of the case that matter to a repair. */
export type CaseSignal =
  | { type: 'resolved'; action: RecoveryAction; by: string | null }
  | { type: 'retrying'; nextAttempt: number }
  | { type: 'passed'; node: string }
  | ({ type: 'opened' } & Cause)
  /** The case is final. */
  | { type: 'ended' }
  | { type: 'abandoned' };

type Event =
  | CaseSignal
  | { type: 'retry' }
  | { type: 'abandon'; reason: string }
  | { type: 'known'; version: string };

const machine = setup({
  types: { context: {} as Context, events: {} as Event, input: {} as RepairInput },
  actors: {
    /** Follows the events of the case after the cursor. */
    follow: fromCallback<EventObject, { caseId: string; cursor: string }>(() => undefined),
    retry: fromPromise<CommandResult, { caseId: string; version: string | null }>(() =>
      Promise.reject(new Error('not provided')),
    ),
    abandon: fromPromise<CommandResult, { caseId: string; reason: string }>(() =>
      Promise.reject(new Error('not provided')),
    ),
  },
  guards: {
    isFailedStep: ({ context, event }) => event.type === 'passed' && event.node === context.node,
  },
  actions: {
    clearProblem: assign({ problem: null }),
    resolved: assign(({ event }) =>
      event.type === 'resolved'
        ? { action: event.action, by: event.by, nextAttempt: null, problem: null }
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
        failedAgain: true,
        nextAttempt: null,
        problem: null,
      };
    }),
    /**
     * Stores why the command was not done; the event's output is the result of the invoked actor.
     */
    showProblem: assign(({ event }) => {
      const { output } = event as unknown as { output: CommandResult };
      return output.kind === 'accepted' ? {} : { problem: output };
    }),
    markUnreachable: assign({
      problem: { kind: 'failed', failure: { code: 'Network', message: '' } },
    }),
    recordRetry: assign({ action: 'retry', by: null }),
    recordAbandon: assign({ action: 'abandon', by: null }),
  },
});

/** The state after a resolution, by this user's command or by another's. */
const afterResolution = [
  {
    guard: ({ event }: { event: Event }) =>
      event.type === 'resolved' && (event.action === 'retry' || event.action === 'replace'),
    target: 'queued' as const,
    actions: 'resolved' as const,
  },
  { target: 'closed' as const, actions: 'resolved' as const },
];

export const repairMachine = machine.createMachine({
  id: 'repair',
  context: ({ input }) => ({
    ...input,
    failedAgain: false,
    action: 'retry',
    by: null,
    nextAttempt: null,
    reason: '',
    problem: null,
  }),
  invoke: {
    src: 'follow',
    input: ({ context }) => ({ caseId: context.caseId, cursor: context.cursor }),
  },
  initial: 'open',
  states: {
    /** The step has failed permanently and needs a recovery action. */
    open: {
      on: {
        retry: { target: 'sending', actions: 'clearProblem' },
        abandon: {
          target: 'abandoning',
          actions: assign(({ event }) => ({ reason: event.reason, problem: null })),
        },
        known: { actions: assign(({ event }) => ({ version: event.version })) },
        resolved: afterResolution,
        opened: { actions: 'opened' },
        abandoned: { target: 'closed', actions: 'recordAbandon' },
        ended: 'passed',
      },
    },
    /** The command is being sent. */
    sending: {
      invoke: {
        src: 'retry',
        input: ({ context }) => ({ caseId: context.caseId, version: context.version }),
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'accepted',
            target: 'queued',
            actions: 'recordRetry',
          },
          { target: 'open', actions: 'showProblem' },
        ],
        onError: { target: 'open', actions: 'markUnreachable' },
      },
      on: {
        resolved: afterResolution,
        opened: { target: 'open', actions: 'opened' },
        abandoned: { target: 'closed', actions: 'recordAbandon' },
      },
    },
    abandoning: {
      invoke: {
        src: 'abandon',
        input: ({ context }) => ({ caseId: context.caseId, reason: context.reason }),
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'accepted',
            target: 'closed',
            actions: 'recordAbandon',
          },
          { target: 'open', actions: 'showProblem' },
        ],
        onError: { target: 'open', actions: 'markUnreachable' },
      },
      on: { resolved: afterResolution, abandoned: { target: 'closed', actions: 'recordAbandon' } },
    },
    /** The step is queued again and has not completed yet. */
    queued: {
      on: {
        retrying: { actions: assign(({ event }) => ({ nextAttempt: event.nextAttempt })) },
        passed: { guard: 'isFailedStep', target: 'passed' },
        ended: 'passed',
        opened: { target: 'open', actions: 'opened' },
        resolved: afterResolution,
        abandoned: { target: 'closed', actions: 'recordAbandon' },
      },
    },
    /** The failed step has completed. */
    passed: { type: 'final' },
    /** The step is no longer needed: values were entered, or the case was abandoned. */
    closed: { type: 'final' },
  },
});

const knownActions: readonly string[] = ['retry', 'replace', 'enter', 'abandon'];

interface LogEvent {
  type: string;
  body?: unknown;
  actor?: { id: string; name: string } | null;
}

/** Compares an API id with the user id of the session, which has no type prefix. */
export function isPerson(id: string, userId: string): boolean {
  if (id === userId) return true;
  try {
    return userId !== '' && plainID(id) === userId;
  } catch {
    return false;
  }
}

/**
 * Converts an event of the case into a signal for the repair; null if it does not matter. `me` is
 * the current user.
 */
export function signalOf(event: LogEvent, me: string): CaseSignal | null {
  const body = (event.body ?? {}) as Record<string, unknown>;
  const text = (name: string) => (typeof body[name] === 'string' ? body[name] : '');
  const number = (name: string) => (typeof body[name] === 'number' ? body[name] : 0);
  switch (event.type) {
    case 'incident.resolved':
      return {
        type: 'resolved',
        action: (knownActions.includes(text('how')) ? text('how') : 'retry') as RecoveryAction,
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
