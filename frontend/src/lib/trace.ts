// The trace of a user action (W3C Trace Context): the requests that follow from one click have the
// same trace id, so that the server's spans of them belong together. The page records no spans.
const actionEvents = ['click', 'submit', 'keydown', 'drop', 'paste', 'popstate'] as const;

/** How long requests belong to the last action, in milliseconds. */
const actionLength = 10_000;

const idOfTrace = 16;
const idOfSpan = 8;

interface Action {
  trace: string;
  began: number;
}

let action: Action | null = null;

/** Begins a trace at every action of the user; the returned function ends that. */
export function traceActions(target: EventTarget = window): () => void {
  // Capture comes before the handlers that send requests.
  for (const name of actionEvents) target.addEventListener(name, beginAction, true);
  return () => {
    for (const name of actionEvents) target.removeEventListener(name, beginAction, true);
  };
}

/** Begins the trace of an action of the user. */
export function beginAction(): void {
  action = { trace: randomID(idOfTrace), began: performance.now() };
}

/**
 * The traceparent of a request that is sent now. A request that follows from no action, such as one
 * after a reconnect, has a trace of its own.
 */
export function traceparent(): string {
  const current = action && performance.now() - action.began < actionLength;
  const trace = current ? action?.trace : randomID(idOfTrace);
  // Whether the trace is recorded is decided by the server.
  return `00-${trace}-${randomID(idOfSpan)}-00`;
}

/** A random id in hexadecimal that is not zero, because zero is no valid id. */
function randomID(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  random[0] = (random[0] ?? 0) | 1;
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
