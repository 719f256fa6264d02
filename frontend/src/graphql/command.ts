// A hook for commands from forms: keeps the idempotency key until a response arrives, sends a command whose
// response was lost once more, and returns results in one form.
import type { TypedDocumentNode } from '@urql/core';
import { useRef, useState } from 'react';
import { type CombinedError, useMutation } from 'urql';
import { newKey } from '../lib/keys';
import type { Refusal } from '../lib/refusals';
import { isLost, useResend } from './resend';

interface Payload {
  userErrors: readonly Refusal[];
}

export interface Command<Input, P> {
  busy: boolean;
  refusals: readonly Refusal[];
  error: CombinedError | null;
  /**
   * Sends the command; returns the payload, or null if it was refused or failed. While it waits for the
   * connection, it is not busy and `error` says why.
   */
  run: (input: Omit<Input, 'idempotencyKey'>) => Promise<P | null>;
  /** Whether the last command met no connection: its effect is unknown. */
  lost: () => boolean;
  /** Clears the last result. */
  clear: () => void;
}

/** `payload` selects the command's payload from the data. `resends: false`: the caller sends it again. */
export function useCommand<Data, Input extends object, P extends Payload>(
  document: TypedDocumentNode<Data, { input: Input }>,
  payload: (data: Data) => P,
  { resends }: { resends: boolean } = { resends: true },
): Command<Input, P> {
  const [, send] = useMutation(document);
  const last = useRef<{ request: string; key: string } | null>(null);
  const lost = useRef(false);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<{
    refusals: readonly Refusal[];
    error: CombinedError | null;
  }>({
    refusals: [],
    error: null,
  });
  const clear = () => setResult({ refusals: [], error: null });
  const resend = useResend();
  const run = async (input: Omit<Input, 'idempotencyKey'>): Promise<P | null> => {
    const request = JSON.stringify(input);
    if (last.current?.request !== request) last.current = { request, key: newKey() };
    const { key } = last.current;
    let accepted: P | null = null;
    const attempt = async () => {
      setBusy(true);
      const { data, error } = await send({
        input: { ...input, idempotencyKey: key } as unknown as Input,
      });
      setBusy(false);
      lost.current = isLost(error);
      // Without a response the command is resent with its key; with one, the next command gets a new
      // key.
      if (data) last.current = null;
      const answer = data ? payload(data) : null;
      setResult({ refusals: answer?.userErrors ?? [], error: error ?? null });
      accepted = answer?.userErrors.length === 0 ? answer : null;
      return lost.current;
    };
    if (resends) await resend(attempt);
    else await attempt();
    return accepted;
  };
  return { busy, ...result, run, lost: () => lost.current, clear };
}
