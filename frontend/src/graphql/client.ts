// The one client of the page: a cache that knows the schema, one door for queries and commands, one socket for what is
// live. Server truth is kept here and nowhere else.
import {
  Client,
  type Exchange,
  fetchExchange,
  makeOperation,
  mapExchange,
  type Operation,
  type OperationResult,
  subscriptionExchange,
} from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { map, pipe, tap } from 'wonka';
import { sessionEnded } from '../lib/session';
import { cacheUpdatesExchange } from './cache-updates';
import { reconnectListeners, sharedSocket } from './connection';
import schema from './generated/schema.json';

/**
 * A server in production takes only documents that it knows, by the hash of their text. VITE_DOCUMENTS=text builds a page
 * that works with a server of another build, in development and demo.
 */
export const byHash = import.meta.env.PROD && import.meta.env.VITE_DOCUMENTS !== 'text';

/** The hash that the generator put beside a document. */
export function hashOf(document: unknown): string | null {
  const meta = (document as { __meta__?: { hash?: unknown } }).__meta__;
  return typeof meta?.hash === 'string' ? meta.hash : null;
}

/** Notes the document's hash before the cache writes its own form of the document. */
const recordHash: Exchange =
  ({ forward }) =>
  (operations$) =>
    forward(
      pipe(
        operations$,
        map((operation) => {
          const hash = hashOf(operation.query);
          return hash
            ? makeOperation(operation.kind, operation, { ...operation.context, documentHash: hash })
            : operation;
        }),
      ),
    );

/** Sends the hash in place of the document, and gives the answer back under the document itself. */
const sendHash: Exchange =
  ({ forward }) =>
  (operations$) => {
    const originals = new Map<number, Operation>();
    const shortened = (operation: Operation): Operation => {
      const hash = operation.context.documentHash;
      if (!byHash || typeof hash !== 'string' || operation.kind === 'teardown') return operation;
      originals.set(operation.key, operation);
      const query = {
        kind: 'Document',
        definitions: [],
        documentId: hash,
      } as unknown as Operation['query'];
      return { ...operation, query };
    };
    const restored = (result: OperationResult): OperationResult => {
      const operation = originals.get(result.operation.key);
      return operation ? { ...result, operation } : result;
    };
    return pipe(forward(pipe(operations$, map(shortened))), map(restored));
  };

/** Remembers the queries that pages show now, to ask them again when the line was down. */
const active = new Map<number, Operation>();
const recordActiveQueries: Exchange =
  ({ forward }) =>
  (operations$) =>
    forward(
      pipe(
        operations$,
        tap((operation) => {
          if (operation.kind === 'query') active.set(operation.key, operation);
          if (operation.kind === 'teardown') active.delete(operation.key);
        }),
      ),
    );

const signedOutCodes = new Set(['Unauthenticated', 'SessionExpired']);

/** Tells the page when the server no longer knows who sends. */
const detectEndedSession = mapExchange({
  onError(error) {
    const codes = error.graphQLErrors.map((one) => String(one.extensions.code));
    const status: unknown = (error.response as Response | undefined)?.status;
    if (status === 401 || codes.some((code) => signedOutCodes.has(code))) sessionEnded();
  },
});

/** What the place in a log is called in the variables and in the answers of subscriptions that resume. */
type Resumable = { variables?: Record<string, unknown> | undefined };

const socketExchange = subscriptionExchange({
  forwardSubscription(request) {
    // The socket sends this very object again when it reconnects, so moving `after` on resumes where the page is.
    // It demands a query, so a document that goes by its hash has an empty one.
    const payload: Resumable & Record<string, unknown> = {
      ...request,
      query: request.query ?? '',
      variables: { ...request.variables },
    };
    return {
      subscribe: (sink) => ({
        unsubscribe: sharedSocket().subscribe(payload as unknown as { query: string }, {
          next: (result) => {
            const cursor = cursorOf(result.data);
            if (cursor && payload.variables && 'after' in payload.variables)
              payload.variables.after = cursor;
            sink.next(result as Parameters<typeof sink.next>[0]);
          },
          error: (error) => sink.error(error),
          complete: () => sink.complete(),
        }),
      }),
    };
  },
});

function cursorOf(data: unknown): string | null {
  const event = (data as { caseEvents?: { cursor?: unknown } } | null | undefined)?.caseEvents;
  return typeof event?.cursor === 'string' ? event.cursor : null;
}

/** Types whose id says which one it is within its definition only. */
const scopedIdTypes = new Set(['ProcessNode', 'GraphNode', 'GraphLine', 'Rule']);

/** Types without an id are kept inside the object that holds them; whatever else has an id is one object everywhere. */
function cache(): Exchange {
  const types = schema.__schema.types as {
    name: string;
    kind: string;
    fields?: { name: string }[];
  }[];
  const roots = new Set(['Query', 'Mutation', 'Subscription']);
  const embedded = types
    .filter((type) => type.kind === 'OBJECT' && !roots.has(type.name))
    .filter(
      (type) => scopedIdTypes.has(type.name) || !type.fields?.some((field) => field.name === 'id'),
    )
    .map((type) => [type.name, () => null] as const);
  return cacheExchange({
    schema: schema as NonNullable<Parameters<typeof cacheExchange>[0]>['schema'],
    keys: Object.fromEntries(embedded),
    resolvers: {
      Query: {
        // What a list or an event brought is shown at once under the object's own address too.
        case: (_parent, args, store) =>
          cachedOrReference(store.resolve('Query', 'case', args), 'Case', args.id),
        review: (_parent, args, store) =>
          cachedOrReference(store.resolve('Query', 'review', args), 'Review', args.id),
      },
    },
  });
}

/** What was asked before, null included; else the object wherever it came from. */
function cachedOrReference<T>(
  cachedResult: T | undefined,
  typename: string,
  id: unknown,
): T | { __typename: string; id: string } {
  return cachedResult === undefined ? { __typename: typename, id: String(id) } : cachedResult;
}

/** Makes the client; the page makes one. */
export function makeClient(fetcher?: typeof fetch): Client {
  const client = new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: {
      credentials: 'same-origin',
      // One answer, with its status. Asked for a stream too, the server gives one, and leaving a page then breaks off the
      // reading of an answer that nobody waits for any more.
      headers: { Accept: 'application/graphql-response+json, application/json' },
    },
    ...(fetcher && { fetch: fetcher }),
    exchanges: [
      recordHash,
      recordActiveQueries,
      detectEndedSession,
      cache(),
      cacheUpdatesExchange(),
      sendHash,
      socketExchange,
      fetchExchange,
    ],
  });
  reconnectListeners.add(() => refreshAll(client));
  return client;
}

/** Asks every query that is on a page now again, beside what is shown. */
export function refreshAll(client: Client): void {
  for (const operation of [...active.values()]) {
    client.reexecuteOperation(
      client.createRequestOperation('query', operation, { requestPolicy: 'network-only' }),
    );
  }
}
