// The repair state of an incident according to the event log. A chosen recovery action is not a
// completed step yet.
interface LogEvent {
  type: string;
  body: unknown;
}

/**
 * none: no incident so far. open: waiting for a recovery action. repairing: an action was chosen.
 * over: the step completed, or the case was abandoned.
 */
export type RepairState = 'none' | 'open' | 'repairing' | 'over';

/** Event types that show that the case has passed the failed step. */
const eventsAfterRepair = new Set([
  'review.opened',
  'case.approved',
  'case.rejected',
  'case.returned',
  'case.archived',
  'case.abandoned',
]);

/**
 * Reads the log from its start. After a retry the failed step itself has to complete; the other
 * actions bypass it.
 */
export function repairStateOf(events: readonly LogEvent[]): RepairState {
  let state: RepairState = 'none';
  let awaitedNode: string | null = null;
  for (const event of events) {
    const body = (event.body ?? {}) as { how?: unknown; node?: unknown };
    if (event.type === 'incident.opened') state = 'open';
    if (event.type === 'incident.resolved') {
      state = 'repairing';
      awaitedNode = body.how === 'retry' && typeof body.node === 'string' ? body.node : null;
    }
    if (state !== 'repairing') {
      if (event.type === 'case.abandoned' && state === 'open') state = 'over';
      continue;
    }
    if (eventsAfterRepair.has(event.type)) state = 'over';
    if (event.type === 'stage.completed' && (awaitedNode === null || awaitedNode === body.node))
      state = 'over';
  }
  return state;
}
