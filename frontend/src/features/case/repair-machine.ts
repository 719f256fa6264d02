// The handling of an incident by the user: choose a recovery action, fill in its form, send it, and
// wait until the step has completed. Events of the case arrive as `facts`.
import { assign, setup } from 'xstate';
import type { Failure, Refusal } from '../../lib/refusals';
import type { RepairState } from '../../lib/repair-state';

export type RecoveryAction = 'RETRY' | 'REPLACE_DOCUMENT' | 'ENTER_FIELDS' | 'ABANDON';

export type RepairEvent =
  | { type: 'choose'; action: RecoveryAction }
  | { type: 'back' }
  | { type: 'submit' }
  | { type: 'accepted' }
  | { type: 'refused'; refusals: readonly Refusal[] }
  | { type: 'failed'; failure: Failure }
  | { type: 'showCurrent' }
  | { type: 'facts'; repairState: RepairState; version: string | null };

interface RepairContext {
  action: RecoveryAction | null;
  /** The version of the incident that is shown. */
  version: string | null;
  refusals: readonly Refusal[];
  failure: Failure | null;
  /** The chosen action did not resolve the incident. */
  failedAgain: boolean;
}

/** Refusals that mean another user has changed the case. */
export const conflictCodes = new Set([
  'StaleVersion',
  'StateMismatch',
  'AlreadyDecided',
  'NotFound',
]);

const noProblem = { refusals: [] as readonly Refusal[], failure: null };

export const repairMachine = setup({
  types: {
    context: {} as RepairContext,
    events: {} as RepairEvent,
    input: {} as { version: string | null },
  },
  guards: {
    isRetry: ({ event }) => event.type === 'choose' && event.action === 'RETRY',
    isConflict: ({ event }) =>
      event.type === 'refused' && event.refusals.some(({ code }) => conflictCodes.has(code)),
    wasRetry: ({ context }) => context.action === 'RETRY',
    isRepairing: ({ event }) => event.type === 'facts' && event.repairState === 'repairing',
    isOver: ({ event }) => event.type === 'facts' && event.repairState === 'over',
    /**
     * A `facts` event of the same incident changes nothing; only a new version reopens the choice.
     */
    isNewIncident: ({ context, event }) =>
      event.type === 'facts' &&
      event.repairState === 'open' &&
      event.version !== null &&
      event.version !== context.version,
  },
  actions: {
    chooseAction: assign(({ event }) =>
      event.type === 'choose' ? { action: event.action, ...noProblem } : {},
    ),
    showProblem: assign(({ event }) => {
      if (event.type === 'refused') return { refusals: event.refusals, failure: null };
      return event.type === 'failed' ? { refusals: [], failure: event.failure } : {};
    }),
    showNewIncident: assign(({ event }) =>
      event.type === 'facts'
        ? { version: event.version, failedAgain: true, action: null, ...noProblem }
        : {},
    ),
    resetAction: assign({ action: null, ...noProblem }),
    clearProblem: assign(noProblem),
  },
}).createMachine({
  id: 'repair',
  initial: 'choosing',
  context: ({ input }) => ({
    action: null,
    version: input.version,
    failedAgain: false,
    ...noProblem,
  }),
  states: {
    choosing: {
      on: {
        choose: [
          { guard: 'isRetry', target: 'sending', actions: 'chooseAction' },
          { target: 'filling', actions: 'chooseAction' },
        ],
        facts: [
          // Another user has chosen an action.
          { guard: 'isRepairing', target: 'watching' },
          { guard: 'isOver', target: 'repaired' },
          { guard: 'isNewIncident', actions: 'showNewIncident' },
        ],
      },
    },
    filling: {
      on: {
        submit: { target: 'sending', actions: 'clearProblem' },
        back: { target: 'choosing', actions: 'resetAction' },
        // The user's input stays on the page.
        facts: [{ guard: 'isOver', target: 'conflict' }],
      },
    },
    sending: {
      on: {
        accepted: 'watching',
        refused: [
          { guard: 'isConflict', target: 'conflict', actions: 'showProblem' },
          { guard: 'wasRetry', target: 'choosing', actions: 'showProblem' },
          { target: 'filling', actions: 'showProblem' },
        ],
        failed: [
          { guard: 'wasRetry', target: 'choosing', actions: 'showProblem' },
          { target: 'filling', actions: 'showProblem' },
        ],
      },
    },
    /** The action was accepted; the step has not completed yet. */
    watching: {
      on: {
        facts: [
          { guard: 'isOver', target: 'repaired' },
          { guard: 'isNewIncident', target: 'choosing', actions: 'showNewIncident' },
        ],
      },
    },
    /** Another user was first; the page has reloaded the case. */
    conflict: {
      on: {
        showCurrent: { target: 'choosing', actions: 'resetAction' },
      },
    },
    repaired: {
      on: { facts: { guard: 'isNewIncident', target: 'choosing', actions: 'showNewIncident' } },
    },
  },
});
