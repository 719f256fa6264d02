// The reassignment of reviews: select rows, choose the reviewer and the reason, send, see each
// outcome. Only failed reviews stay selected. The rows belong to the server; the machine stores
// their ids and the versions that were selected.
import { assign, type EventObject, fromCallback, setup } from 'xstate';
import type { Failure, Refusal } from '../../lib/refusals';
import { between } from '../../lib/selection';

/** A row when it was selected. */
export interface Row {
  id: string;
  version: string;
}

/** The outcome for one review. */
export type Outcome =
  | { kind: 'reassigned'; to: string | null }
  | { kind: 'refused'; refusal: Refusal }
  /** No response arrived, so the command may or may not have been executed. */
  | { kind: 'unknown'; failure: Failure };

/** The new reviewer and the reason; null chooses the least-loaded eligible reviewer. */
export interface ReassignRequest {
  to: string | null;
  reason: string;
}

export interface ReassignInput extends ReassignRequest {
  /** The reviews with the versions that the person has seen. */
  chosen: [string, string][];
}

export interface Context {
  /** The selected versions by review id. */
  chosen: ReadonlyMap<string, string>;
  /** The start of a range selection. */
  anchor: string | null;
  outcomes: ReadonlyMap<string, Outcome>;
  request: ReassignRequest;
  /** The number of reviews that were sent, and of those answered. */
  sent: number;
  answered: number;
}

type Event =
  | { type: 'toggle'; row: Row }
  | { type: 'extend'; id: string; rows: Row[] }
  | { type: 'choose'; rows: Row[] }
  | { type: 'clear' }
  /** Reviews that are no longer in the list. */
  | { type: 'left'; ids: string[] }
  | { type: 'openDialog' }
  | { type: 'cancel' }
  /** The changed rows that are reassigned too, as the dialog shows them. */
  | { type: 'send'; request: ReassignRequest; changed: Row[] }
  | { type: 'answered'; outcomes: [string, Outcome][] }
  | { type: 'finished' };

/** The events that the effect sends while it runs. */
export type ProgressEvent = Extract<Event, { type: 'answered' | 'finished' }>;

function added(chosen: ReadonlyMap<string, string>, rows: Row[]): Map<string, string> {
  return new Map([...chosen, ...rows.map((row) => [row.id, row.version] as const)]);
}

function without<T>(map: ReadonlyMap<string, T>, ids: Iterable<string>): Map<string, T> {
  const rest = new Map(map);
  for (const id of ids) rest.delete(id);
  return rest;
}

const machine = setup({
  types: { context: {} as Context, events: {} as Event },
  actors: {
    /** Sends the commands and reports each response; ends with "finished". */
    reassign: fromCallback<EventObject, ReassignInput>(() => undefined),
  },
  guards: { someChosen: ({ context }) => context.chosen.size > 0 },
});

const left = machine.assign(({ context, event }) =>
  event.type === 'left'
    ? {
        chosen: without(context.chosen, event.ids),
        anchor: event.ids.includes(context.anchor ?? '') ? null : context.anchor,
      }
    : {},
);

export const reassignMachine = machine.createMachine({
  id: 'reassign',
  context: {
    chosen: new Map(),
    anchor: null,
    outcomes: new Map(),
    request: { to: null, reason: '' },
    sent: 0,
    answered: 0,
  },
  initial: 'choosing',
  states: {
    choosing: {
      on: {
        toggle: {
          actions: assign(({ context, event: { row } }) => ({
            chosen: context.chosen.has(row.id)
              ? without(context.chosen, [row.id])
              : added(context.chosen, [row]),
            anchor: row.id,
          })),
        },
        extend: {
          actions: assign(({ context, event }) => ({
            chosen: added(context.chosen, between(event.rows, context.anchor, event.id)),
            anchor: context.anchor ?? event.id,
          })),
        },
        choose: {
          actions: assign(({ context, event }) => ({ chosen: added(context.chosen, event.rows) })),
        },
        clear: {
          guard: 'someChosen',
          actions: assign({ chosen: new Map<string, string>(), anchor: null }),
        },
        left: { actions: left },
        openDialog: { guard: 'someChosen', target: 'confirming' },
      },
    },
    confirming: {
      on: {
        left: { actions: left },
        cancel: 'choosing',
        send: {
          guard: 'someChosen',
          target: 'sending',
          actions: assign(({ context, event }) => ({
            request: event.request,
            chosen: added(context.chosen, event.changed),
          })),
        },
      },
    },
    sending: {
      entry: assign(({ context }) => ({
        outcomes: new Map<string, Outcome>(),
        sent: context.chosen.size,
        answered: 0,
      })),
      invoke: {
        src: 'reassign',
        input: ({ context }) => ({ chosen: [...context.chosen], ...context.request }),
      },
      on: {
        answered: {
          actions: assign(({ context, event }) => ({
            outcomes: new Map([...context.outcomes, ...event.outcomes]),
            answered: context.answered + event.outcomes.length,
            chosen: without(
              context.chosen,
              event.outcomes
                .filter(([, outcome]) => outcome.kind === 'reassigned')
                .map(([id]) => id),
            ),
          })),
        },
        finished: 'choosing',
      },
    },
  },
});
