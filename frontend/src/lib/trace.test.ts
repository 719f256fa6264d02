import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { beginAction, traceActions, tracedFetch, traceparent } from './trace';

const pattern = /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/;
const traceOf = (header: string) => header.split('-')[1];
const spanOf = (header: string) => header.split('-')[2];

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => vi.useRealTimers());

describe('traceparent', () => {
  it('is valid and not zero', () => {
    vi.spyOn(crypto, 'getRandomValues').mockImplementationOnce((array) => array);
    vi.spyOn(crypto, 'getRandomValues').mockImplementationOnce((array) => array);
    beginAction();
    const header = traceparent();
    expect(header).toMatch(pattern);
    expect(traceOf(header)).not.toBe('0'.repeat(32));
    expect(spanOf(header)).not.toBe('0'.repeat(16));
    vi.restoreAllMocks();
  });

  it('has one trace for the requests of an action, and a span for each', () => {
    beginAction();
    const [first, second] = [traceparent(), traceparent()];
    expect(traceOf(second)).toBe(traceOf(first));
    expect(spanOf(second)).not.toBe(spanOf(first));
    beginAction();
    expect(traceOf(traceparent())).not.toBe(traceOf(first));
  });

  it('does not assign a later request to the action', () => {
    beginAction();
    const first = traceparent();
    vi.advanceTimersByTime(10_000);
    const later = [traceparent(), traceparent()];
    expect(new Set([first, ...later].map(traceOf)).size).toBe(3);
  });

  it('begins with the click, before the handlers that send requests', () => {
    const button = document.createElement('button');
    document.body.append(button);
    const sent: string[] = [];
    button.addEventListener('click', () => sent.push(traceparent(), traceparent()));
    const stop = traceActions();
    button.click();
    button.click();
    stop();
    expect(sent.map(traceOf)).toEqual(
      [sent[0], sent[0], sent[2], sent[2]].map((h) => traceOf(h ?? '')),
    );
    expect(traceOf(sent[2] ?? '')).not.toBe(traceOf(sent[0] ?? ''));
    button.click();
    expect(traceOf(sent[4] ?? '')).toBe(traceOf(sent[2] ?? ''));
    button.remove();
  });
});

describe('spans', () => {
  const answer = (recorded: boolean) =>
    ((_address: unknown, options?: RequestInit) => {
      const [version, trace, span] = (new Headers(options?.headers).get('traceparent') ?? '').split(
        '-',
      );
      const traceresponse = `${version}-${trace}-${span}-${recorded ? '01' : '00'}`;
      return Promise.resolve(new Response('{}', { headers: { traceresponse } }));
    }) as typeof fetch;

  it('sends the action and its requests if the server records the trace', async () => {
    const sent = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response());
    const page = new EventTarget();
    const stop = traceActions(page);
    page.dispatchEvent(new Event('click'));
    await tracedFetch(answer(true))('/graphql');
    vi.advanceTimersByTime(100);
    await tracedFetch(answer(true))('/graphql');
    await tracedFetch(answer(false))('/graphql');
    page.dispatchEvent(new Event('pagehide'));
    expect(sent).toHaveBeenCalledTimes(1);
    const { spans } = JSON.parse(String(sent.mock.calls[0]?.[1]?.body));
    const action = spans.find(({ kind }: { kind: string }) => kind === 'action');
    const requests = spans.filter(({ kind }: { kind: string }) => kind === 'request');
    expect(requests).toHaveLength(2);
    for (const request of requests) {
      expect(request.parent).toBe(spanOf(action.traceparent));
      expect(traceOf(request.traceparent)).toBe(traceOf(action.traceparent));
    }
    expect(action).toMatchObject({ parent: '', beganAgo: 100, endedAgo: 0 });
    page.dispatchEvent(new Event('pagehide'));
    expect(sent).toHaveBeenCalledTimes(1);
    stop();
    vi.restoreAllMocks();
  });
});
