// The commands of the case page. Each returns the refusals, the failure, or null on success.
import type { Client, TypedDocumentNode } from '@urql/core';
import type { CaseStatus, FieldInput } from '../../graphql/generated/graphql';
import { resumableThreshold, sendResumable } from '../../graphql/resumable-upload';
import { sendUpload } from '../../graphql/upload';
import { type Failure, failureOf, type Refusal } from '../../lib/refusals';
import type { ChosenDocument } from '../../lib/supporting';
import {
  AbandonCase,
  EnterFields,
  ReplaceDocument,
  ResubmitCase,
  RetryCaseIncident,
} from './case.graphql';
import { AddDocument } from './supporting.graphql';

/** Null on success. */
export type Outcome = null | { refusals: readonly Refusal[] } | { failure: Failure };

/** Whether the answer of the command was lost, so that its effect is unknown. */
export const isLost = (outcome: Outcome): boolean =>
  outcome !== null && 'failure' in outcome && outcome.failure.code === 'Network';

interface Payload {
  userErrors: readonly Refusal[];
}

async function runCommand<
  Data extends Record<string, unknown>,
  Variables extends Record<string, unknown>,
>(
  client: Client,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Outcome> {
  const { data, error } = await client.mutation(document, variables as never).toPromise();
  if (error) return { failure: failureOf(error) };
  return refusalsOf(data);
}

function refusalsOf(data: Record<string, unknown> | undefined): Outcome {
  const payload = Object.values(data ?? {}).find((value): value is Payload =>
    Array.isArray((value as Payload | null)?.userErrors),
  );
  return payload && payload.userErrors.length > 0 ? { refusals: payload.userErrors } : null;
}

/** The input that all commands on a case share. */
export interface CaseCommand {
  caseId: string;
  expectedVersion: string | null;
  /** The status that the page shows. In another one the command is refused. */
  expectedStatus: CaseStatus;
  idempotencyKey: string;
}

export const retryStep = (client: Client, target: CaseCommand) =>
  runCommand(client, RetryCaseIncident, { input: target });

export const enterValues = (client: Client, target: CaseCommand, fields: FieldInput[]) =>
  runCommand(client, EnterFields, { input: { ...target, fields } });

export const abandonCase = (client: Client, target: CaseCommand, reason: string) =>
  runCommand(client, AbandonCase, { input: { ...target, reason } });

/** `returnedAt` is when the return was that is answered, if the page knows it. */
export const resubmit = (
  client: Client,
  target: CaseCommand,
  comment: string,
  returnedAt: string | null,
) =>
  runCommand(client, ResubmitCase, {
    input: { ...target, ...(comment !== '' && { comment }), ...(returnedAt && { returnedAt }) },
  });

/** Replaces the file; `onProgress` receives the share that was sent. */
export async function replaceFile(
  client: Client,
  target: CaseCommand,
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  if (file.size > resumableThreshold) {
    const upload = await sendResumable({ file, onProgress, signal });
    if ('failure' in upload) return upload;
    return runCommand(client, ReplaceDocument, { input: { ...target, uploadId: upload.uploadId } });
  }
  const result = await sendUpload(
    ReplaceDocument,
    { input: { ...target, file: null } },
    { at: 'input.file', file, onProgress, signal },
  );
  return 'failure' in result ? result : refusalsOf(result.data);
}

/** The uploads of documents whose command had no answer yet: another attempt uses the same upload. */
const uploads = new WeakMap<ChosenDocument, string>();

/** Adds a supporting document to a returned case. */
export async function addDocument(
  client: Client,
  command: CaseCommand,
  chosen: ChosenDocument,
  signal: AbortSignal,
): Promise<Outcome> {
  const { kind, file, replaces } = chosen;
  const target = { ...command, replaces };
  if (file.size > resumableThreshold) {
    const known = uploads.get(chosen);
    const upload = known ? { uploadId: known } : await sendResumable({ file, signal });
    if ('failure' in upload) return upload;
    uploads.set(chosen, upload.uploadId);
    return runCommand(client, AddDocument, {
      input: { ...target, document: { kind, uploadId: upload.uploadId } },
    });
  }
  const result = await sendUpload(
    AddDocument,
    { input: { ...target, document: { kind, file: null } } },
    { at: 'input.document.file', file, onProgress: () => {}, signal },
  );
  return 'failure' in result ? result : refusalsOf(result.data);
}
