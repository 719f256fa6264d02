// The connection to the server: its state as a store, and the WebSocket for subscriptions.
import { type Client, CloseCode, createClient } from 'graphql-ws';
import { session, sessionEnded } from '../lib/session';
import { makeStore } from '../lib/store';

/** live: connected. waiting: reconnecting. offline: the browser has no network. */
export type ConnectionState = 'idle' | 'live' | 'waiting' | 'offline';

export const connectionState = makeStore<ConnectionState>('idle');

/** Called after each reconnect. */
export const reconnectListeners = new Set<() => void>();

/** Calls the listener at each reconnect, until the returned function is called. */
export function onConnected(listener: () => void): () => void {
  reconnectListeners.add(listener);
  return () => void reconnectListeners.delete(listener);
}

/** Long enough for the socket to notice that the network is gone too, in milliseconds. */
const noticed = 1_000;

/**
 * Calls the listener once: at the next reconnect, or after a second if the socket is connected then. A response
 * can be lost while the socket is connected, or arrive after it has reconnected; no reconnect follows these.
 */
export function whenConnected(listener: () => void): () => void {
  const timer = setTimeout(() => isUp() && once(), noticed);
  const stopListening = onConnected(() => once());
  const stop = () => {
    clearTimeout(timer);
    stopListening();
  };
  const once = () => {
    stop();
    listener();
  };
  return stop;
}

/** Whether a request can be expected to arrive. A socket without subscriptions is closed on purpose. */
function isUp(): boolean {
  const state = connectionState.get();
  return navigator.onLine && (state === 'live' || state === 'idle');
}

const forbidden = 4403;
const longestWait = 5_000;

let socket: Client | null = null;
let reconnectNow: (() => void) | null = null;

/** The shared socket, opened by the first subscription. */
export function sharedSocket(): Client {
  socket ??= openSocket();
  return socket;
}

function openSocket(): Client {
  let pongTimeout: ReturnType<typeof setTimeout> | undefined;
  let disconnected = false;
  const client = createClient({
    url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`,
    lazyCloseTimeout: 3_000,
    keepAlive: 10_000,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    retryWait: waitBeforeRetry,
    on: {
      connected: () => {
        connectionState.set('live');
        if (disconnected) for (const listener of [...reconnectListeners]) listener();
        disconnected = false;
      },
      closed: (event) => {
        clearTimeout(pongTimeout);
        const code = (event as CloseEvent).code;
        if (code === forbidden || code === CloseCode.Unauthorized) sessionEnded();
        disconnected = disconnected || code !== 1000;
        connectionState.set(code === 1000 ? 'idle' : navigator.onLine ? 'waiting' : 'offline');
      },
      // Terminate a connection that does not answer a ping, because its other end is gone.
      ping: (received) => {
        if (!received) pongTimeout = setTimeout(() => client.terminate(), 5_000);
      },
      pong: (received) => {
        if (received) clearTimeout(pongTimeout);
      },
    },
  });
  window.addEventListener('offline', () => {
    if (connectionState.get() === 'idle') return;
    connectionState.set('offline');
    client.terminate();
  });
  window.addEventListener('online', () => reconnectNow?.());
  session.subscribe(() => {
    if (session.get().state === 'signedIn') reconnectNow?.();
  });
  return client;
}

/**
 * Waits before the next attempt, longer each time; no longer than until the network or the session
 * is back.
 */
function waitBeforeRetry(attempts: number): Promise<void> {
  if (connectionState.get() !== 'offline') connectionState.set('waiting');
  return new Promise((resolve) => {
    const ready = () => navigator.onLine && session.get().state !== 'ended';
    const jitter = 0.75 + Math.random() / 2;
    const timer = setTimeout(
      () => ready() && proceed(),
      Math.min(longestWait, 250 * 2 ** attempts) * jitter,
    );
    const proceed = () => {
      clearTimeout(timer);
      reconnectNow = null;
      resolve();
    };
    reconnectNow = () => ready() && proceed();
  });
}
