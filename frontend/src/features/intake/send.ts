// Sends a file: a small one with the command itself, a large one before it by a resumable upload.
import type { Client } from '@urql/core';
import { fromCallback } from 'xstate';
import type { SubmitDocumentInput, SubmitDocumentMutation } from '../../graphql/generated/graphql';
import { discardUpload, resumableThreshold, sendResumable } from '../../graphql/resumable-upload';
import { sendUpload } from '../../graphql/upload';
import { type DeclaredAttribute, statedInput } from '../../lib/attributes';
import { countryCode } from '../../lib/countries';
import { type OrderDraft, orderInputOf } from '../../lib/order-form';
import { type Failure, failureOf } from '../../lib/refusals';
import type { ChosenDocument, DeclaredDocument } from '../../lib/supporting';
import { Batch } from './batch';
import { SubmitDocument } from './intake.graphql';
import { type Sending, type UploadEvent, uploadMachine } from './upload-machine';

/** The metadata that the user entered for the next files. */
export interface UploadMetadata {
  process: string | null;
  documentType: string | null;
  country: string | null;
  amount: { amount: string; currency: string } | null;
  /** It replaces amount and country. */
  order: OrderDraft | null;
  /** What the user states about the attributes of the process, by name. */
  attributes: Readonly<Record<string, string>>;
  /** The attributes that the process declares. */
  declared: readonly DeclaredAttribute[];
  /** The kinds of supporting documents that the process declares, and the files of the user. */
  kinds: readonly DeclaredDocument[];
  documents: readonly ChosenDocument[];
}

/** The metadata as the API accepts it. */
export function submitFieldsOf(
  key: string,
  metadata: UploadMetadata | undefined,
): Omit<SubmitDocumentInput, 'file' | 'uploadId' | 'documents'> {
  const { process, documentType, country, amount, order, declared, attributes } = metadata ?? {};
  const stated = statedInput(declared ?? [], attributes ?? {});
  return {
    idempotencyKey: key,
    ...(process && { process }),
    ...(documentType && { documentType }),
    ...(order && { order: orderInputOf(order) }),
    ...(country && !order && { country: countryCode(country) ?? country }),
    ...(amount && !order && { amount }),
    ...(stated.length > 0 && { attributes: stated }),
  };
}

type Emit = (event: UploadEvent) => void;
type SubmitFields = ReturnType<typeof submitFieldsOf> & Pick<SubmitDocumentInput, 'documents'>;

/** Makes the batch. Each file keeps the metadata that was entered when it was chosen. */
export function makeBatch(client: Client): Batch & { metadata: WeakMap<File, UploadMetadata> } {
  const metadata = new WeakMap<File, UploadMetadata>();
  const machine = uploadMachine.provide({
    actions: {
      discardUpload: ({ context }) => {
        if (context.resumeAt) void discardUpload(context.resumeAt);
      },
    },
    actors: {
      send: fromCallback<UploadEvent, Sending>(({ sendBack, input }) => {
        const cancel = new AbortController();
        const entered = metadata.get(input.file);
        const fields = submitFieldsOf(input.key, entered);
        const send = input.file.size > resumableThreshold ? sendResumed : sendDirect;
        const sendAll = async () => {
          const documents = await sendDocuments(input, entered?.documents ?? [], cancel.signal);
          if ('failure' in documents) return sendBack({ type: 'failed', ...documents.failure });
          const all = { ...fields, ...(documents.length > 0 && { documents }) };
          return send(client, input, all, sendBack, cancel.signal);
        };
        sendAll().catch((error: unknown) => {
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
  return Object.assign(new Batch(machine), { metadata });
}

/** The ids of the supporting documents that were uploaded for a submission, by its key and their place. */
const uploaded = new Map<string, string>();

/** Uploads the supporting documents before the command. Another attempt uses the same uploads. */
async function sendDocuments(
  { key }: Sending,
  documents: readonly ChosenDocument[],
  signal: AbortSignal,
): Promise<{ kind: string; uploadId: string }[] | { failure: Failure }> {
  const sent = [];
  for (const [index, { kind, file }] of documents.entries()) {
    const place = `${key} ${index}`;
    const known = uploaded.get(place);
    const upload = known ? { uploadId: known } : await sendResumable({ file, signal });
    if ('failure' in upload) return upload;
    uploaded.set(place, upload.uploadId);
    sent.push({ kind, uploadId: upload.uploadId });
  }
  return sent;
}

async function sendDirect(
  _client: Client,
  { file }: Sending,
  fields: SubmitFields,
  emit: Emit,
  signal: AbortSignal,
): Promise<void> {
  const result = await sendUpload(
    SubmitDocument,
    // The file is a part of the multipart request; its variable stays null.
    { input: { ...fields, file: null } },
    {
      at: 'input.file',
      file,
      signal,
      onProgress: (share) =>
        emit(share < 1 ? { type: 'progress', progress: share } : { type: 'sent' }),
    },
  );
  if ('failure' in result) emit({ type: 'failed', ...result.failure });
  else emit(outcome(result.data));
}

async function sendResumed(
  client: Client,
  { file, resumeAt }: Sending,
  fields: SubmitFields,
  emit: Emit,
  signal: AbortSignal,
): Promise<void> {
  const upload = await sendResumable({
    file,
    resumeAt,
    signal,
    onAddress: (url) => emit({ type: 'address', url }),
    onProgress: (share) => emit({ type: 'progress', progress: share }),
  });
  if ('failure' in upload) return emit({ type: 'failed', ...upload.failure });
  emit({ type: 'sent' });
  const input = { ...fields, uploadId: upload.uploadId };
  const result = await client.mutation(SubmitDocument, { input }).toPromise();
  if (signal.aborted) return;
  if (result.error) emit({ type: 'failed', ...failureOf(result.error) });
  else if (result.data) emit(outcome(result.data));
}

function outcome({ submitDocument }: SubmitDocumentMutation): UploadEvent {
  const { case: submitted, duplicates, userErrors } = submitDocument;
  if (!submitted) return { type: 'refused', refusals: [...userErrors] };
  return {
    type: 'received',
    caseId: submitted.id,
    reference: submitted.reference,
    duplicates: duplicates.map((one) => one.reference),
  };
}
