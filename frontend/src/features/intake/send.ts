// How a file travels: small ones with the command itself, large ones ahead of it in pieces that survive a cut line.
import type { Client } from '@urql/core';
import { fromCallback } from 'xstate';
import type { SubmitDocumentInput, SubmitDocumentMutation } from '../../graphql/generated/graphql';
import { sendUpload } from '../../graphql/upload';
import { failureOf } from '../../lib/refusals';
import { Batch } from './batch';
import { SubmitDocument } from './intake.graphql';
import { type Sending, type UploadEvent, uploadMachine } from './upload-machine';

/** From here on a file goes in pieces. */
export const piecesAbove = 8 << 20;
const piece = 4 << 20;

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
        const send = input.file.size > piecesAbove ? sendInPieces : sendWhole;
        send(client, input, fields, sendBack, cancel.signal).catch((error: unknown) => {
          if (cancel.signal.aborted) return;
          sendBack({ type: 'failed', code: 'Network', message: error instanceof Error ? error.message : '' });
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
  sending: Sending,
  fields: Stated,
  tell: Tell,
  signal: AbortSignal,
): Promise<void> {
  const url = await carry(sending, tell, signal);
  if (url === null) return;
  tell({ type: 'sent' });
  const uploadId = url.split('/').at(-1) ?? '';
  const result = await client.mutation(SubmitDocument, { input: { ...fields, uploadId } }).toPromise();
  if (signal.aborted) return;
  if (result.error) tell({ type: 'failed', ...failureOf(result.error) });
  else if (result.data) tell(outcome(result.data));
}

/** Carries the bytes; null when it was told why it failed. */
async function carry({ file, resumeAt }: Sending, tell: Tell, signal: AbortSignal): Promise<string | null> {
  const tus = await import('tus-js-client');
  return new Promise((resolve, reject) => {
    const upload: InstanceType<typeof tus.Upload> = new tus.Upload(file, {
      endpoint: '/uploads/',
      uploadUrl: resumeAt,
      chunkSize: piece,
      retryDelays: [0, 500, 1_000, 2_000, 4_000, 8_000],
      metadata: { filename: file.name },
      // Nothing of the person's files is kept in the browser.
      storeFingerprintForResuming: false,
      onProgress: (sent, total) => tell({ type: 'progress', share: sent / total }),
      onUploadUrlAvailable: () => upload.url && tell({ type: 'address', url: upload.url }),
      onSuccess: () => (upload.url ? resolve(upload.url) : reject(new Error('The upload has no address.'))),
      onError: (error) => {
        const response = 'originalResponse' in error ? error.originalResponse : null;
        tell({ type: 'failed', ...failureOfTus(response?.getStatus() ?? 0, response?.getBody() ?? '') });
        resolve(null);
      },
    });
    signal.addEventListener('abort', () => void upload.abort(true).catch(() => undefined));
    upload.start();
  });
}

function failureOfTus(status: number, body: string): { code: string; message: string } {
  try {
    const { error } = JSON.parse(body) as { error?: { code: string; message: string } };
    if (error) return error;
  } catch {
    // Not ours: something between us and the server answered.
  }
  if (status === 0) return { code: 'Network', message: '' };
  return {
    code: status === 401 ? 'Unauthenticated' : status >= 500 || status === 423 ? 'Unavailable' : 'Internal',
    message: '',
  };
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
