// Runs the reassignment machine. Its commands are sent in small batches, so that progress is
// visible and a lost connection costs at most the responses of one batch.
import { useMachine } from '@xstate/react';
import { useMemo } from 'react';
import { type Client, useClient } from 'urql';
import { type EventObject, fromCallback } from 'xstate';
import { sendThroughLoss } from '../../graphql/resend';
import { newKey } from '../../lib/keys';
import { failureOf } from '../../lib/refusals';
import { ReassignReviews } from './manage.graphql';
import { type Outcome, type ProgressEvent, type ReassignInput, reassignMachine } from './reassign';

/** The number of reviews per command. */
const batchSize = 20;

async function sendBatch(
  client: Client,
  input: ReassignInput,
  batch: [string, string][],
): Promise<[string, Outcome][]> {
  const ids = batch.map(([id]) => id);
  const command = {
    reviewIds: ids,
    expectedVersions: batch.map(([, version]) => version),
    to: input.to,
    reason: input.reason,
    idempotencyKey: newKey(),
  };
  const { data, error } = await sendThroughLoss(() =>
    client.mutation(ReassignReviews, { input: command }).toPromise(),
  );
  const payload = data?.reassignReviews;
  const commandRefusal = payload?.userErrors[0];
  const results = new Map(payload?.results.map((result) => [result.reviewId, result]));
  return ids.map((id) => {
    const result = results.get(id);
    const refusal = result?.userErrors[0] ?? commandRefusal;
    if (refusal) return [id, { kind: 'refused', refusal }];
    if (result) return [id, { kind: 'reassigned', to: result.review?.assignee?.name ?? null }];
    return [
      id,
      { kind: 'unknown', failure: error ? failureOf(error) : { code: 'Internal', message: '' } },
    ];
  });
}

function machineOf(client: Client) {
  return reassignMachine.provide({
    actors: {
      reassign: fromCallback<EventObject, ReassignInput>(({ sendBack, input }) => {
        let stopped = false;
        const run = async () => {
          for (let at = 0; at < input.chosen.length && !stopped; at += batchSize) {
            const batch = input.chosen.slice(at, at + batchSize);
            const outcomes = await sendBatch(client, input, batch);
            if (!stopped) sendBack({ type: 'answered', outcomes } satisfies ProgressEvent);
          }
          if (!stopped) sendBack({ type: 'finished' } satisfies ProgressEvent);
        };
        void run();
        return () => {
          stopped = true;
        };
      }),
    },
  });
}

export function useReassign() {
  const client = useClient();
  const machine = useMemo(() => machineOf(client), [client]);
  const [snapshot, send] = useMachine(machine);
  return { snapshot, send };
}

export type Sender = ReturnType<typeof useReassign>['send'];
