import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { beginAction, traceActions, traceparent } from './trace';

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
