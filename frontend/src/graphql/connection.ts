// The line to the server: its state as a store, and the socket that carries subscriptions over it.
import { type Client, CloseCode, createClient } from 'graphql-ws';
import { session, sessionEnded } from '../lib/session';
import { makeStore } from '../lib/store';

/** live: the socket stands. waiting: it is being opened again. offline: the browser says there is no network. */
export type Line = 'idle' | 'live' | 'waiting' | 'offline';

export const line = makeStore<Line>('idle');

/** Called each time the socket stands again after it was lost. */
export const regained = new Set<() => void>();

const forbidden = 4403;
const longestWait = 5_000;

let socket: Client | null = null;
let wake: (() => void) | null = null;

/** The one socket of the page, opened with the first subscription. */
export function theSocket(): Client {
  socket ??= openSocket();
  return socket;
}

function openSocket(): Client {
  let pongAwaited: ReturnType<typeof setTimeout> | undefined;
  let lost = false;
  const client = createClient({
    url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`,
    lazyCloseTimeout: 3_000,
    keepAlive: 10_000,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    retryWait: pause,
    on: {
      connected: () => {
        line.set('live');
        if (lost) for (const tell of [...regained]) tell();
        lost = false;
      },
      closed: (event) => {
        clearTimeout(pongAwaited);
        const code = (event as CloseEvent).code;
        if (code === forbidden || code === CloseCode.Unauthorized) sessionEnded();
        lost = lost || code !== 1000;
        line.set(code === 1000 ? 'idle' : navigator.onLine ? 'waiting' : 'offline');
      },
      // A connection whose other end has silently gone is given up when it does not answer.
      ping: (received) => {
        if (!received) pongAwaited = setTimeout(() => client.terminate(), 5_000);
      },
      pong: (received) => {
        if (received) clearTimeout(pongAwaited);
      },
    },
  });
  window.addEventListener('offline', () => {
    if (line.get() === 'idle') return;
    line.set('offline');
    client.terminate();
  });
  window.addEventListener('online', () => wake?.());
  session.subscribe(() => {
    if (session.get().state === 'signedIn') wake?.();
  });
  return client;
}

/** Waits before the next attempt: longer each time, not at all once the network or the session is back. */
function pause(attempts: number): Promise<void> {
  if (line.get() !== 'offline') line.set('waiting');
  return new Promise((resolve) => {
    const ready = () => navigator.onLine && session.get().state !== 'ended';
    const spread = 0.75 + Math.random() / 2;
    const timer = setTimeout(
      () => ready() && go(),
      Math.min(longestWait, 250 * 2 ** attempts) * spread,
    );
    const go = () => {
      clearTimeout(timer);
      wake = null;
      resolve();
    };
    wake = () => ready() && go();
  });
}
