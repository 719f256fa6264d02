// The repairs that the user has started, kept until they are dismissed. They outlive the page, so
// that their progress is still followed when the user returns.
import type { Client } from 'urql';
import {
  type ActorRefFrom,
  createActor,
  type EventObject,
  fromCallback,
  fromPromise,
  type SnapshotFrom,
} from 'xstate';
import type { IncidentLineFragment } from '../../graphql/generated/graphql';
import { followCase } from '../../graphql/live';
import { sendThroughLoss } from '../../graphql/resend';
import { newKey } from '../../lib/keys';
import { failureOf, type Refusal } from '../../lib/refusals';
import { session } from '../../lib/session';
import { makeStore, type Store } from '../../lib/store';
import { AbandonIncidentCase, CaseIncident, RetryIncident } from './incidents.graphql';
import { type CommandResult, repairMachine, signalOf } from './repair';

export type Incident = IncidentLineFragment;
export type RepairState = SnapshotFrom<typeof repairMachine>;

/** A repair as the page shows it. */
export interface Repair {
  /** The incident when the repair was started. */
  incident: Incident;
  /** The cause under which the incident was listed. */
  group: string;
  state: RepairState;
}

interface TrackedRepair extends Repair {
  actor: ActorRefFrom<typeof repairMachine>;
}

/** The key of a cause: step and error code. */
export function groupKey(cause: { code: string; node: string }): string {
  return `${cause.node} ${cause.code}`;
}

/** The number of commands sent concurrently. */
const maxConcurrent = 4;

/** Runs tasks in order with limited concurrency. */
function limitConcurrency(limit: number) {
  const waiting: (() => void)[] = [];
  let free = limit;
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await new Promise<void>((proceed) => waiting.push(proceed));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

type Payload = { userErrors: readonly Refusal[] } | undefined;

function resultOf(
  payload: Payload,
  error: Parameters<typeof failureOf>[0] | undefined,
): CommandResult {
  const refusal = payload?.userErrors[0];
  if (refusal) return { kind: 'refused', refusal };
  if (error) return { kind: 'failed', failure: failureOf(error) };
  return { kind: 'accepted' };
}

function currentUserId(): string {
  const now = session.get();
  return now.state === 'signedIn' || now.state === 'ended' ? now.person.id : '';
}

/** The repairs of one client; components subscribe to `list`. */
export class Repairs {
  readonly list: Store<readonly Repair[]> = makeStore<readonly Repair[]>([]);
  private readonly tracked = new Map<string, TrackedRepair>();
  private readonly limited = limitConcurrency(maxConcurrent);

  constructor(private readonly client: Client) {}

  /** Retries the failed step of each incident. */
  retry(incidents: readonly Incident[]): void {
    for (const incident of incidents) this.trackedFor(incident)?.actor.send({ type: 'retry' });
  }

  /** Abandons the case. */
  abandon(incident: Incident, reason: string): void {
    this.trackedFor(incident)?.actor.send({ type: 'abandon', reason });
  }

  /** Removes repairs from the list and stops following their cases. */
  dismiss(caseIds: readonly string[]): void {
    for (const id of caseIds) {
      this.tracked.get(id)?.actor.stop();
      this.tracked.delete(id);
    }
    this.publish();
  }

  private publish(): void {
    this.list.set([...this.tracked.values()]);
  }

  /** Returns the repair of the incident, started if necessary; null if the case is unknown. */
  private trackedFor(incident: Incident): TrackedRepair | null {
    const doc = incident.case;
    if (!doc) return null;
    const existing = this.tracked.get(doc.id);
    if (existing && existing.state.status === 'active') {
      existing.actor.send({ type: 'known', version: incident.version });
      return existing;
    }
    const { node, attempt, code, message, version } = incident;
    const input = { caseId: doc.id, cursor: doc.cursor, version, node, attempt, code, message };
    const actor = createActor(this.machine(), { input });
    const tracked: TrackedRepair = {
      actor,
      incident,
      group: groupKey(incident),
      state: actor.getSnapshot(),
    };
    this.tracked.set(doc.id, tracked);
    actor.subscribe((state) => {
      this.tracked.set(doc.id, { ...tracked, state });
      this.publish();
    });
    actor.start();
    return tracked;
  }

  private machine() {
    const { client } = this;
    return repairMachine.provide({
      actors: {
        follow: fromCallback<EventObject, { caseId: string; cursor: string }>(
          ({ input, sendBack }) =>
            followCase(client, input.caseId, input.cursor, {
              onEvent: (event) => {
                const signal = signalOf(event, currentUserId());
                if (signal) sendBack(signal);
                if (signal?.type === 'opened') void this.refreshVersion(input.caseId, sendBack);
              },
              onReread: () => undefined,
            }),
        ),
        retry: fromPromise<CommandResult, { caseId: string; version: string | null }>(({ input }) =>
          this.limited(async () => {
            const command = {
              caseId: input.caseId,
              expectedVersion: input.version,
              expectedStatus: 'INCIDENT' as const,
              idempotencyKey: newKey(),
            };
            const { data, error } = await sendThroughLoss(() =>
              client.mutation(RetryIncident, { input: command }).toPromise(),
            );
            return resultOf(data?.retryIncident, error);
          }),
        ),
        abandon: fromPromise<CommandResult, { caseId: string; reason: string }>(
          async ({ input }) => {
            const command = {
              ...input,
              expectedVersion: null, // the list has the version of the incident, not of the case
              expectedStatus: 'INCIDENT' as const,
              idempotencyKey: newKey(),
            };
            const { data, error } = await sendThroughLoss(() =>
              client.mutation(AbandonIncidentCase, { input: command }).toPromise(),
            );
            return resultOf(data?.abandonCase, error);
          },
        ),
      },
    });
  }

  /** Reads the version of the new incident, which the next retry has to name. */
  private async refreshVersion(
    caseId: string,
    sendBack: (event: { type: 'known'; version: string }) => void,
  ) {
    const request = this.client.query(CaseIncident, { caseId }, { requestPolicy: 'network-only' });
    const incident = (await request.toPromise()).data?.case?.incident;
    if (incident) sendBack({ type: 'known', version: incident.version });
  }
}

const byClient = new WeakMap<Client, Repairs>();

/** The repairs of the client. */
export function repairsOf(client: Client): Repairs {
  const existing = byClient.get(client) ?? new Repairs(client);
  byClient.set(client, existing);
  return existing;
}
