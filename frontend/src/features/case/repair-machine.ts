// What a person does about an incident: choose a way out, fill in what it needs, send it, and wait until the step has
// really passed. What the case's log says meanwhile comes in as facts.
import { assign, setup } from 'xstate';
import type { Failure, Refusal } from '../../lib/refusals';
import type { RepairState } from '../../lib/repair-state';

export type Way = 'RETRY' | 'REPLACE_DOCUMENT' | 'ENTER_FIELDS' | 'ABANDON';

export type RepairEvent =
  | { type: 'choose'; way: Way }
  | { type: 'back' }
  | { type: 'submit' }
  | { type: 'accepted' }
  | { type: 'refused'; refusals: readonly Refusal[] }
  | { type: 'failed'; failure: Failure }
  | { type: 'look' }
  | { type: 'facts'; repair: RepairState; version: string | null };

interface RepairContext {
  way: Way | null;
  /** Of the incident that is shown. */
  version: string | null;
  refusals: readonly Refusal[];
  failure: Failure | null;
  /** The way out that was chosen did not help. */
  failedAgain: boolean;
}

/** Refusals that mean: somebody else has done something meanwhile. */
export const overtaking = new Set(['StaleVersion', 'StateMismatch', 'AlreadyDecided', 'NotFound']);

const clean = { refusals: [] as readonly Refusal[], failure: null };

export const repairMachine = setup({
  types: {
    context: {} as RepairContext,
    events: {} as RepairEvent,
    input: {} as { version: string | null },
  },
  guards: {
    atOnce: ({ event }) => event.type === 'choose' && event.way === 'RETRY',
    overtaken: ({ event }) =>
      event.type === 'refused' && event.refusals.some(({ code }) => overtaking.has(code)),
    noForm: ({ context }) => context.way === 'RETRY',
    repairing: ({ event }) => event.type === 'facts' && event.repair === 'repairing',
    over: ({ event }) => event.type === 'facts' && event.repair === 'over',
    /** The same incident still stands open: nothing has come of the command yet. */
    openedAgain: ({ context, event }) =>
      event.type === 'facts' &&
      event.repair === 'open' &&
      event.version !== null &&
      event.version !== context.version,
  },
  actions: {
    take: assign(({ event }) => (event.type === 'choose' ? { way: event.way, ...clean } : {})),
    explain: assign(({ event }) => {
      if (event.type === 'refused') return { refusals: event.refusals, failure: null };
      return event.type === 'failed' ? { refusals: [], failure: event.failure } : {};
    }),
    anew: assign(({ event }) =>
      event.type === 'facts'
        ? { version: event.version, failedAgain: true, way: null, ...clean }
        : {},
    ),
    forget: assign({ way: null, ...clean }),
    clear: assign(clean),
  },
}).createMachine({
  id: 'repair',
  initial: 'choosing',
  context: ({ input }) => ({ way: null, version: input.version, failedAgain: false, ...clean }),
  states: {
    choosing: {
      on: {
        choose: [
          { guard: 'atOnce', target: 'sending', actions: 'take' },
          { target: 'filling', actions: 'take' },
        ],
        facts: [
          // A colleague has chosen.
          { guard: 'repairing', target: 'watching' },
          { guard: 'over', target: 'repaired' },
          { guard: 'openedAgain', actions: 'anew' },
        ],
      },
    },
    filling: {
      on: {
        submit: { target: 'sending', actions: 'clear' },
        back: { target: 'choosing', actions: 'forget' },
        // What was typed stays on the page; the person is told when it is sent.
        facts: [{ guard: 'over', target: 'overtaken' }],
      },
    },
    sending: {
      on: {
        accepted: 'watching',
        refused: [
          { guard: 'overtaken', target: 'overtaken', actions: 'explain' },
          { guard: 'noForm', target: 'choosing', actions: 'explain' },
          { target: 'filling', actions: 'explain' },
        ],
        failed: [
          { guard: 'noForm', target: 'choosing', actions: 'explain' },
          { target: 'filling', actions: 'explain' },
        ],
      },
    },
    /** Amber: chosen, not passed yet. */
    watching: {
      on: {
        facts: [
          { guard: 'over', target: 'repaired' },
          { guard: 'openedAgain', target: 'choosing', actions: 'anew' },
        ],
      },
    },
    /** Somebody else was first; the page has read the case again. */
    overtaken: {
      on: {
        look: { target: 'choosing', actions: 'forget' },
      },
    },
    repaired: { on: { facts: { guard: 'openedAgain', target: 'choosing', actions: 'anew' } } },
  },
});
