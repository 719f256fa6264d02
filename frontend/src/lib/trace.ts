// The trace of a user action (W3C Trace Context): the requests that follow from one click have the
// same trace id, so that the server's spans of them belong together. Of traces that the server
// records, the page sends its own spans: the action and its requests.
const actionEvents = ['click', 'submit', 'keydown', 'drop', 'paste', 'popstate'] as const;

/** How long requests belong to the last action, in milliseconds. */
const actionLength = 10_000;

/** How long ended spans wait for others before they are sent, in milliseconds. */
const flushAfter = 2_000;

/** The server accepts no more in one request. */
const maxSpans = 40;

const idOfTrace = 16;
const idOfSpan = 8;

interface Action {
  trace: string;
  span: string;
  began: number;
  /** The span of the action is in the list below. */
  recorded?: Span;
}

interface Span {
  kind: 'action' | 'request';
  traceparent: string;
  parent: string;
  began: number;
  ended: number;
}

/** A request that is under way. */
export interface TracedRequest {
  traceparent: string;
  /** Ends the span with the response's header `traceresponse`. */
  end(traceresponse: string | null): void;
}

let action: Action | null = null;
const ended: Span[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

/** Begins a trace at every action of the user; the returned function ends that. */
export function traceActions(target: EventTarget = window): () => void {
  // Capture comes before the handlers that send requests.
  for (const name of actionEvents) target.addEventListener(name, beginAction, true);
  target.addEventListener('pagehide', flush);
  return () => {
    for (const name of actionEvents) target.removeEventListener(name, beginAction, true);
    target.removeEventListener('pagehide', flush);
  };
}

/** Begins the trace of an action of the user. */
export function beginAction(): void {
  action = { trace: randomID(idOfTrace), span: randomID(idOfSpan), began: performance.now() };
}

/**
 * Begins the span of a request that is sent now. A request that follows from no action, such as one
 * after a reconnect, has a trace of its own.
 */
export function beginRequest(): TracedRequest {
  const began = performance.now();
  const current = action && began - action.began < actionLength ? action : null;
  const trace = current?.trace ?? randomID(idOfTrace);
  const span = randomID(idOfSpan);
  return {
    // Whether the trace is recorded is decided by the server.
    traceparent: `00-${trace}-${span}-00`,
    end(traceresponse) {
      if (!traceresponse?.startsWith(`00-${trace}-`) || !traceresponse.endsWith('-01')) return;
      const now = performance.now();
      const parent = current?.span ?? '';
      record({ kind: 'request', traceparent: `00-${trace}-${span}-01`, parent, began, ended: now });
      if (current) recordAction(current, now);
    },
  };
}

/** The traceparent of a request whose end is not recorded. */
export function traceparent(): string {
  return beginRequest().traceparent;
}

/** An action ends with the last of its requests that are recorded. */
function recordAction(of: Action, now: number): void {
  if (of.recorded && ended.includes(of.recorded)) {
    of.recorded.ended = now;
    return;
  }
  if (of.recorded) return; // already sent
  const { trace, span, began } = of;
  of.recorded = {
    kind: 'action',
    traceparent: `00-${trace}-${span}-01`,
    parent: '',
    began,
    ended: now,
  };
  record(of.recorded);
}

function record(span: Span): void {
  ended.push(span);
  if (ended.length >= maxSpans) flush();
  else timer ??= setTimeout(flush, flushAfter);
}

/** Sends the spans that have ended. Nothing depends on them, so a failure is ignored. */
function flush(): void {
  clearTimeout(timer);
  timer = undefined;
  const spans = ended.splice(0);
  if (spans.length === 0) return;
  const now = performance.now();
  const body = JSON.stringify({
    spans: spans.map(({ began, ended: end, ...rest }) => ({
      ...rest,
      beganAgo: now - began,
      endedAgo: now - end,
    })),
  });
  void fetch('/spans', {
    method: 'POST',
    credentials: 'same-origin',
    keepalive: true,
    headers: { 'Content-Type': 'application/json' },
    body,
  }).catch(() => undefined);
}

/** fetch with the headers and the span of a traced request. */
export function tracedFetch(fetcher?: typeof fetch): typeof fetch {
  return async (address, options) => {
    const request = beginRequest();
    const headers = new Headers(options?.headers);
    headers.set('traceparent', request.traceparent);
    const response = await (fetcher ?? fetch)(address, { ...options, headers });
    request.end(response.headers.get('traceresponse'));
    return response;
  };
}

/** A random id in hexadecimal that is not zero, because zero is no valid id. */
function randomID(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  random[0] = (random[0] ?? 0) | 1;
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
