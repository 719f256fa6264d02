// Where the repair of an incident stands, as the log tells it. A chosen way out is not yet a repaired step.
interface LogEvent {
  type: string;
  body: unknown;
}

/** none: no incident so far. open: a way out is to be chosen. repairing: chosen, not passed yet. over: passed, or given up. */
export type RepairState = 'none' | 'open' | 'repairing' | 'over';

/** Types that show that the case went on behind the failed step. */
const eventsAfterRepair = new Set([
  'review.opened',
  'case.approved',
  'case.rejected',
  'case.returned',
  'case.archived',
  'case.abandoned',
]);

/** Reads the log from its beginning. After a retry the very step that failed has to pass; other ways lead around it. */
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
