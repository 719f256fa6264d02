// Refusals and failures as the pages show them. A page uses its own message for a code if it has
// one in the user's language, otherwise the server's.

/** A refusal, as all members of the union UserError have it. */
export interface Refusal {
  code: string;
  message: string;
  remedy?: string | null | undefined;
  field?: string | null | undefined;
  /** The values of the message: limit, amount, holder, currentVersion, status … */
  values?: readonly { name: string; value: string }[] | null | undefined;
  /** Of AlreadyClaimed and NotClaimedByYou. */
  holder?: string | null | undefined;
  /** Of StaleVersion. */
  currentVersion?: string | null | undefined;
}

/** Transient failures, which a retry may resolve. */
export const transientCodes = new Set([
  'Busy',
  'RateLimited',
  'Unavailable',
  'TimedOut',
  'EngineFailed',
  'Network',
]);

/** The session has ended, which the dialog for it already says. */
export const signedOutCodes = new Set(['Unauthenticated', 'SessionExpired']);

const unreadableCodes = new Set(['NotFound', 'ConflictOfInterest', 'NotPermitted']);

/** A technical failure as a page shows it. */
export interface Failure {
  code: string;
  message: string;
  remedy?: string | undefined;
  requestId?: string | undefined;
}

interface GraphQLFailure {
  message: string;
  path?: readonly (string | number)[] | undefined;
  extensions?: Record<string, unknown> | undefined;
}

/** Reads the failure from a client error. */
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
    remedy: text('remedy'),
    requestId: text('requestId'),
  };
}

/**
 * Whether the field of the query may not be read, or not any more, so a page must not keep showing it.
 * The cache may still have the field: an error does not remove it. A refusal of a part of the field
 * does not count.
 */
export function isUnreadable(
  error: { graphQLErrors: GraphQLFailure[] } | undefined,
  field: string,
): boolean {
  return (error?.graphQLErrors ?? []).some(
    ({ path, extensions }) =>
      path?.length === 1 && path[0] === field && unreadableCodes.has(String(extensions?.code)),
  );
}
