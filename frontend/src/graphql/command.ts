// A command from a form: sent with a key that stays the same until it was answered, and its answer in one shape.
import type { TypedDocumentNode } from '@urql/core';
import { useRef, useState } from 'react';
import { type CombinedError, useMutation } from 'urql';
import { newKey } from '../lib/keys';
import type { Refusal } from '../lib/refusals';

interface Payload {
  userErrors: readonly Refusal[];
}

export interface Command<Input, P> {
  busy: boolean;
  refusals: readonly Refusal[];
  error: CombinedError | null;
  /** Sends it; the payload when it was done, null when it was refused or failed. */
  run: (input: Omit<Input, 'idempotencyKey'>) => Promise<P | null>;
  /** Forgets the last answer. */
  clear: () => void;
}

/** `payload` picks the answer of the command out of the document's data. */
export function useCommand<Data, Input extends object, P extends Payload>(
  document: TypedDocumentNode<Data, { input: Input }>,
  payload: (data: Data) => P,
): Command<Input, P> {
  const [, send] = useMutation(document);
  const last = useRef<{ request: string; key: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<{
    refusals: readonly Refusal[];
    error: CombinedError | null;
  }>({
    refusals: [],
    error: null,
  });
  const clear = () => setResult({ refusals: [], error: null });
  const run = async (input: Omit<Input, 'idempotencyKey'>): Promise<P | null> => {
    const request = JSON.stringify(input);
    if (last.current?.request !== request) last.current = { request, key: newKey() };
    setBusy(true);
    const { data, error } = await send({
      input: { ...input, idempotencyKey: last.current.key } as unknown as Input,
    });
    setBusy(false);
    // Without an answer the same command is sent again under its key; with one, the next is another.
    if (data) last.current = null;
    const answer = data ? payload(data) : null;
    setResult({ refusals: answer?.userErrors ?? [], error: error ?? null });
    return answer && answer.userErrors.length === 0 ? answer : null;
  };
  return { busy, ...result, run, clear };
}
