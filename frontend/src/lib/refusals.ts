// What the page says when the server refuses: its own sentence by code where it has one in the reader's language, else
// the server's.

/** A refusal of a command, as every member of the union UserError has it. */
export interface Refusal {
  code: string;
  message: string;
  wayOut?: string | null | undefined;
  field?: string | null | undefined;
  /** What the message speaks of: limit, amount, holder, currentVersion, status … */
  values?: readonly { name: string; value: string }[] | null | undefined;
  /** Of AlreadyClaimed and NotClaimedByYou. */
  holder?: string | null | undefined;
  /** Of StaleVersion. */
  currentVersion?: string | null | undefined;
}

/** Failures that a person can mend by trying again in a moment. */
export const transientCodes = new Set([
  'Busy',
  'RateLimited',
  'Unavailable',
  'TimedOut',
  'EngineFailed',
  'Network',
]);

/** The session has ended: the sheet over the page says it, so nothing else has to. */
export const signedOutCodes = new Set(['Unauthenticated', 'SessionExpired']);

/** A failure of the machine or the network, as a page shows it. */
export interface Failure {
  code: string;
  message: string;
  wayOut?: string | undefined;
  requestId?: string | undefined;
}

interface GraphQLFailure {
  message: string;
  extensions?: Record<string, unknown> | undefined;
}

/** Reads a failure out of what the GraphQL client reports. */
export function failureOf(error: {
  networkError?: Error | undefined;
  graphQLErrors: GraphQLFailure[];
}): Failure {
  const first = error.graphQLErrors[0];
  if (!first) return { code: 'Network', message: '' };
  const text = (name: string) => {
    const value = first.extensions?.[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    code: text('code') ?? 'Internal',
    message: first.message,
    wayOut: text('wayOut'),
    requestId: text('requestId'),
  };
}
