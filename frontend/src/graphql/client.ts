// The GraphQL client of the application: a schema-aware cache, HTTP for queries and mutations, one
// WebSocket for subscriptions. Server data is stored only here.
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
import { signedOutCodes } from '../lib/refusals';
import { sessionEnded } from '../lib/session';
import { tracedFetch } from '../lib/trace';
import { cacheUpdatesExchange } from './cache-updates';
import { reconnectListeners, sharedSocket } from './connection';
import schema from './generated/schema.json';

/**
 * A server in production accepts only persisted documents, by the hash of their text.
 * VITE_DOCUMENTS=text builds an application that sends the text, for development and demo.
 */
export const byHash = import.meta.env.PROD && import.meta.env.VITE_DOCUMENTS !== 'text';

/** The hash that the generator embedded in a document. */
export function hashOf(document: unknown): string | null {
  const meta = (document as { __meta__?: { hash?: unknown } }).__meta__;
  return typeof meta?.hash === 'string' ? meta.hash : null;
}

/** Records the document's hash before the cache rewrites the document. */
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

/** Sends the hash instead of the document, and restores the operation of the result. */
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

/** The active queries, to be sent again after a reconnect. */
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

/** Ends the session when the server reports that it does not know the user. */
const detectEndedSession = mapExchange({
  onError(error) {
    const codes = error.graphQLErrors.map((one) => String(one.extensions.code));
    const status: unknown = (error.response as Response | undefined)?.status;
    if (status === 401 || codes.some((code) => signedOutCodes.has(code))) sessionEnded();
  },
});

/** A subscription whose `after` variable resumes it. */
type Resumable = { variables?: Record<string, unknown> | undefined };

const socketExchange = subscriptionExchange({
  forwardSubscription(request) {
    // The socket sends this object again when it reconnects, so updating `after` resumes at the
    // page's position. It requires a query, which is empty for a persisted document.
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

/** Types whose id is unique only within their definition. */
const scopedIdTypes = new Set(['ProcessNode', 'GraphNode', 'GraphLine', 'Rule']);

/** Types without an id are embedded in their parent; every other object is normalised by its id. */
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
        // An object loaded by a list or an event is also found by a query for its id.
        case: (_parent, args, store) => {
          const cached = store.resolve('Query', 'case', args);
          return args.id ? cachedOrReference(cached, 'Case', args.id) : cached;
        },
        review: (_parent, args, store) =>
          cachedOrReference(store.resolve('Query', 'review', args), 'Review', args.id),
      },
    },
  });
}

/** The cached result, including null; otherwise a reference to the object from any source. */
function cachedOrReference<T>(
  cachedResult: T | undefined,
  typename: string,
  id: unknown,
): T | { __typename: string; id: string } {
  return cachedResult === undefined ? { __typename: typename, id: String(id) } : cachedResult;
}

/** The options of a request that is sent now. */
export function requestOptions(): RequestInit {
  return {
    credentials: 'same-origin',
    headers: {
      // Request a single response. If a stream is accepted too, the server sends one, and leaving a
      // page then aborts reading a response that is no longer needed.
      Accept: 'application/graphql-response+json, application/json',
    },
  };
}

/** Creates the client; the application has one. */
export function makeClient(fetcher?: typeof fetch): Client {
  const client = new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: requestOptions,
    fetch: tracedFetch(fetcher),
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

/** Sends every active query again while its present result stays visible. */
export function refreshAll(client: Client): void {
  for (const operation of [...active.values()]) {
    client.reexecuteOperation(
      client.createRequestOperation('query', operation, { requestPolicy: 'network-only' }),
    );
  }
}
