// The commands of the page of a case. Each answers with what was refused, what failed, or nothing.
import type { Client, TypedDocumentNode } from '@urql/core';
import type { FieldInput } from '../../graphql/generated/graphql';
import { resumableThreshold, sendResumable } from '../../graphql/resumable-upload';
import { sendUpload } from '../../graphql/upload';
import { type Failure, failureOf, type Refusal } from '../../lib/refusals';
import { EnterValues, GiveUp, ReplaceFile, RetryStep, SendBack } from './case.graphql';

/** null: done. */
export type Outcome = null | { refusals: readonly Refusal[] } | { failure: Failure };

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

/** What every command on the case says beside its own values. */
export interface CaseCommand {
  caseId: string;
  expectedVersion: string;
  idempotencyKey: string;
}

export const retryStep = (client: Client, target: CaseCommand) =>
  runCommand(client, RetryStep, { input: target });

export const enterValues = (client: Client, target: CaseCommand, fields: FieldInput[]) =>
  runCommand(client, EnterValues, { input: { ...target, fields } });

export const abandonCase = (client: Client, target: CaseCommand, reason: string) =>
  runCommand(client, GiveUp, { input: { ...target, reason } });

export const resubmit = (
  client: Client,
  { caseId, idempotencyKey }: CaseCommand,
  comment: string,
) =>
  // The file may just have been replaced by this very person, which changes the version: the command is about the answer.
  runCommand(client, SendBack, {
    input: { caseId, idempotencyKey, ...(comment !== '' && { comment }) },
  });

/** Replaces the file; `onProgress` is told how much was sent. */
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
    return runCommand(client, ReplaceFile, { input: { ...target, uploadId: upload.uploadId } });
  }
  const result = await sendUpload(
    ReplaceFile,
    { input: { ...target, file: null } },
    { at: 'input.file', file, onProgress, signal },
  );
  return 'failure' in result ? result : refusalsOf(result.data);
}
