// How a file travels: small ones with the command itself, large ones ahead of it in pieces that survive a cut line.
import type { Client } from '@urql/core';
import { fromCallback } from 'xstate';
import type { SubmitDocumentInput, SubmitDocumentMutation } from '../../graphql/generated/graphql';
import { discardUpload, resumableThreshold, sendResumable } from '../../graphql/pieces';
import { sendUpload } from '../../graphql/upload';
import { failureOf } from '../../lib/refusals';
import { Batch } from './batch';
import { SubmitDocument } from './intake.graphql';
import { type Sending, type UploadEvent, uploadMachine } from './upload-machine';

/** What the person stated for the files chosen next. */
export interface Statement {
  process: string | null;
  documentType: string | null;
  country: string | null;
  amount: { amount: string; currency: string } | null;
}

type Tell = (event: UploadEvent) => void;
type Stated = Omit<SubmitDocumentInput, 'file' | 'uploadId'>;

/** Makes the batch of a page. Each file keeps what was stated when it was chosen. */
export function makeBatch(client: Client): Batch & { stated: WeakMap<File, Statement> } {
  const stated = new WeakMap<File, Statement>();
  const machine = uploadMachine.provide({
    actions: {
      drop: ({ context }) => {
        if (context.resumeAt) void discardUpload(context.resumeAt);
      },
    },
    actors: {
      send: fromCallback<UploadEvent, Sending>(({ sendBack, input }) => {
        const cancel = new AbortController();
        const statement = stated.get(input.file);
        const fields: Stated = {
          idempotencyKey: input.key,
          ...(statement?.process && { process: statement.process }),
          ...(statement?.documentType && { documentType: statement.documentType }),
          ...(statement?.country && { country: statement.country }),
          ...(statement?.amount && { amount: statement.amount }),
        };
        const send = input.file.size > resumableThreshold ? sendInPieces : sendWhole;
        send(client, input, fields, sendBack, cancel.signal).catch((error: unknown) => {
          if (cancel.signal.aborted) return;
          sendBack({
            type: 'failed',
            code: 'Network',
            message: error instanceof Error ? error.message : '',
          });
        });
        return () => cancel.abort();
      }),
    },
  });
  return Object.assign(new Batch(machine), { stated });
}

async function sendWhole(
  _client: Client,
  { file }: Sending,
  fields: Stated,
  tell: Tell,
  signal: AbortSignal,
): Promise<void> {
  const answer = await sendUpload(
    SubmitDocument,
    // The file itself is a part of the request; its place in the variables stays empty.
    { input: { ...fields, file: null } },
    {
      at: 'input.file',
      file,
      signal,
      onProgress: (share) => tell(share < 1 ? { type: 'progress', share } : { type: 'sent' }),
    },
  );
  if ('failure' in answer) tell({ type: 'failed', ...answer.failure });
  else tell(outcome(answer.data));
}

async function sendInPieces(
  client: Client,
  { file, resumeAt }: Sending,
  fields: Stated,
  tell: Tell,
  signal: AbortSignal,
): Promise<void> {
  const sent = await sendResumable({
    file,
    resumeAt,
    signal,
    onAddress: (url) => tell({ type: 'address', url }),
    onProgress: (share) => tell({ type: 'progress', share }),
  });
  if ('failure' in sent) return tell({ type: 'failed', ...sent.failure });
  tell({ type: 'sent' });
  const input = { ...fields, uploadId: sent.uploadId };
  const result = await client.mutation(SubmitDocument, { input }).toPromise();
  if (signal.aborted) return;
  if (result.error) tell({ type: 'failed', ...failureOf(result.error) });
  else if (result.data) tell(outcome(result.data));
}

function outcome({ submitDocument }: SubmitDocumentMutation): UploadEvent {
  const { case: taken, duplicates, userErrors } = submitDocument;
  if (!taken) return { type: 'refused', refusals: [...userErrors] };
  return {
    type: 'received',
    caseId: taken.id,
    reference: taken.reference,
    duplicates: duplicates.map((one) => one.reference),
  };
}
