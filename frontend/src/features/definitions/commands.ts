// The outcome of a command on definitions: refusals, failure, and problems of the text.
import type { OperationResult } from 'urql';
import type { Refusal } from '../../lib/refusals';
import type { Problem } from './processes';

/** The outcome of a command; `done` is true on success. */
export interface Outcome {
  done: boolean;
  refusals: readonly Refusal[];
  error: OperationResult['error'];
  problems: readonly Problem[];
}

interface Payload {
  userErrors: readonly Refusal[];
  problems?: readonly Problem[];
}

/** Reads the outcome from the result of a mutation with one payload. */
export function outcomeOf(response: {
  data?: Record<string, unknown> | undefined;
  error?: OperationResult['error'];
}): Outcome {
  const payload = Object.values(response.data ?? {}).find((value): value is Payload =>
    Array.isArray((value as Payload | null)?.userErrors),
  );
  const refusals = payload?.userErrors ?? [];
  return {
    done: payload !== undefined && refusals.length === 0 && !response.error,
    refusals,
    error: response.error,
    problems: payload?.problems ?? [],
  };
}

/** Whether the command was refused only because it needs a confirmation. */
export function requiresConfirmation(outcome: Outcome | null): boolean {
  return outcome?.refusals.some(({ code }) => code === 'ConfirmationNeeded') ?? false;
}
