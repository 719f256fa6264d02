// The status of a document as a state machine: its states are the case statuses, its events those
// of the event log. The server decides; the machine knows the allowed transitions, the running
// stage, and when the page is out of sync.
import { type ActorRefFrom, assign, createActor, type SnapshotFrom, setup } from 'xstate';
import { type EventType, eventTypes, isKnownEvent } from './case-events';
import {
  type DocumentState,
  documentStateOf,
  documentStates,
  finalStates,
} from './document-states';

/** An event of the log as the machine takes it: the status after it, and its stage. */
export interface StatusEvent {
  type: EventType;
  status: DocumentState | null;
  /** The behaviour (read, extract, validate …) of a stage event. */
  stage?: string | undefined;
}

interface StatusContext {
  /** The behaviour of the running stage; empty between stages. */
  stage: string;
  /** A step has failed and will be retried automatically. */
  retrying: boolean;
  /** The behaviour of the stage that failed permanently; empty if none did. */
  failed: string;
  /** A recovery action was chosen; true until the failed step has completed or failed again. */
  repairing: boolean;
}

/** The transitions of each state, besides staying. Final states have none. */
export const allowedTransitions: Record<DocumentState, readonly DocumentState[]> = {
  received: [
    'processing',
    'in_review',
    'approved',
    'settling',
    'archived',
    'rejected',
    'incident',
    'abandoned',
  ],
  processing: [
    'in_review',
    'returned',
    'approved',
    'settling',
    'archived',
    'rejected',
    'incident',
    'abandoned',
  ],
  in_review: [
    'processing',
    'returned',
    'approved',
    'settling',
    'archived',
    'rejected',
    'incident',
    'abandoned',
  ],
  returned: ['processing', 'in_review', 'incident', 'rejected', 'abandoned'],
  approved: ['settling', 'archived', 'incident', 'abandoned', 'processing', 'in_review'],
  settling: [
    'archived',
    'approved',
    'rejected',
    'incident',
    'abandoned',
    'processing',
    'in_review',
  ],
  incident: [
    'received',
    'processing',
    'in_review',
    'returned',
    'approved',
    'settling',
    'archived',
    'rejected',
    'abandoned',
  ],
  archived: [],
  rejected: [],
  abandoned: [],
};

/**
 * The possible states after an event of the type. A type that is not listed permits every
 * transition of the present state.
 */
export const statesAfterEvent: { [type in EventType]?: readonly DocumentState[] } = {
  'case.submitted': ['received', 'processing'],
  'case.approved': ['approved', 'settling', 'processing', 'in_review'],
  'case.rejected': ['rejected', 'processing', 'settling', 'in_review'],
  'case.returned': ['returned'],
  'case.resubmitted': ['processing', 'in_review', 'received'],
  'case.archived': ['archived', 'approved', 'settling', 'processing', 'rejected', 'abandoned'],
  'case.abandoned': ['abandoned', 'processing', 'settling'],
  'incident.opened': ['incident'],
  'case.reopened': ['processing', 'received', 'in_review'],
};

function isAllowed(from: DocumentState, event: StatusEvent, to: DocumentState): boolean {
  const allowed = statesAfterEvent[event.type];
  if (event.status === null) {
    // Without a status the state stays, unless the type allows exactly one state.
    return allowed === undefined ? to === from : allowed.length === 1 && allowed[0] === to;
  }
  return event.status === to && (allowed === undefined || allowed.includes(to));
}

/** How the event changes the running work. */
function afterEvent(context: StatusContext, event: StatusEvent): Partial<StatusContext> {
  switch (event.type) {
    case 'stage.started':
      return { stage: event.stage ?? context.stage, retrying: false, failed: '' };
    case 'stage.retrying':
      return { retrying: true };
    case 'stage.completed':
      return { stage: '', failed: '', retrying: false, repairing: false };
    case 'stage.failed':
      return {
        stage: '',
        failed: event.stage ?? context.stage,
        retrying: false,
        repairing: false,
      };
    case 'incident.opened':
      return {
        stage: '',
        failed: context.failed || context.stage,
        retrying: false,
        repairing: false,
      };
    case 'incident.resolved':
      return { repairing: true, retrying: false };
    default:
      return event.status === 'processing' || event.status === null
        ? {}
        : { stage: '', retrying: false };
  }
}

const base = setup({
  types: { context: {} as StatusContext, events: {} as StatusEvent },
  actions: {
    recordWork: assign(({ context, event }) => afterEvent(context, event)),
  },
});

/**
 * The transitions of a state, the same for every event type; an event that matches none is refused.
 */
function transitions(from: DocumentState) {
  const candidates = [from, ...allowedTransitions[from]].map((to) => ({
    guard: ({ event }: { event: StatusEvent }) => isAllowed(from, event, to),
    ...(to === from ? {} : { target: to }),
    actions: 'recordWork' as const,
  }));
  return Object.fromEntries(eventTypes.map((type) => [type, candidates]));
}

const stateConfig = (state: DocumentState) =>
  finalStates.includes(state) ? { type: 'final' as const } : { on: transitions(state) };

const states = Object.fromEntries(
  documentStates.map((state) => [state, stateConfig(state)]),
) as Record<DocumentState, object>;

function machineFrom(initial: DocumentState) {
  return base.createMachine({
    id: 'document-status',
    initial,
    context: { stage: '', failed: '', retrying: false, repairing: false },
    states,
  });
}

const machines = new Map<DocumentState, ReturnType<typeof machineFrom>>();

/** The machine that starts in the state; created once. */
export function statusMachine(initial: DocumentState) {
  const known = machines.get(initial) ?? machineFrom(initial);
  machines.set(initial, known);
  return known;
}

export type StatusSnapshot = SnapshotFrom<ReturnType<typeof statusMachine>>;

/**
 * Sends an event to the actor. False if the event does not fit the present state: the page is out
 * of sync, so the caller restarts at the event's status.
 */
export function applyEvent(
  actor: ActorRefFrom<ReturnType<typeof statusMachine>>,
  event: StatusEvent,
): boolean {
  const now = actor.getSnapshot();
  if (now.status === 'done') return event.status === null || event.status === now.value;
  if (!now.can(event)) return false;
  actor.send(event);
  return true;
}

/** An event of the log as the page receives it. */
interface LogEvent {
  type: string;
  status: string | null;
  body: unknown;
}

/** The machine's event; null if this build does not know the type. */
export function statusEventOf(event: LogEvent): StatusEvent | null {
  if (!isKnownEvent(event.type)) return null;
  const stage = (event.body as { behaviour?: unknown } | null)?.behaviour;
  return {
    type: event.type,
    status: event.status === null ? null : documentStateOf(event.status),
    ...(typeof stage === 'string' && { stage }),
  };
}

/** The status of a document after its events. */
export interface DocumentStatus extends StatusContext {
  state: DocumentState;
  /** The behaviours of the completed stages, in order. */
  done: string[];
  /** Approved without a review. */
  automatic: boolean;
}

/**
 * Replays the events of the log and ends at the server's status. After an event that does not fit,
 * it continues at that event's status.
 */
export function documentStatusOf(events: readonly LogEvent[], status: string): DocumentStatus {
  let actor = createActor(statusMachine('received')).start();
  let done: string[] = [];
  let automatic = false;
  const restartAt = (state: DocumentState) => {
    actor = createActor(statusMachine(state)).start();
  };
  for (const logEvent of events) {
    const event = statusEventOf(logEvent);
    if (!event || !applyEvent(actor, event)) {
      if (logEvent.status !== null) restartAt(documentStateOf(logEvent.status));
      continue;
    }
    if (event.type === 'stage.completed' && event.stage) done = [...done, event.stage];
    if (event.type === 'case.approved')
      automatic = (logEvent.body as { automatic?: unknown } | null)?.automatic === true;
    if (event.type === 'document.replaced' || event.type === 'case.submitted') done = [];
  }
  const finalState = documentStateOf(status);
  if (actor.getSnapshot().value !== finalState) restartAt(finalState);
  const { context } = actor.getSnapshot();
  return { ...context, state: finalState, done, automatic };
}
