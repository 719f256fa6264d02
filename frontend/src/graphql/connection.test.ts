import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectionState, reconnectListeners, whenConnected } from './connection';

describe('whenConnected', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    connectionState.set('live');
  });
  afterEach(() => {
    vi.useRealTimers();
    connectionState.set('idle');
  });
  const reconnect = () => {
    connectionState.set('live');
    for (const listener of [...reconnectListeners]) listener();
  };

  it('calls after a pause if the socket stays connected', () => {
    const listener = vi.fn();
    whenConnected(listener);
    vi.advanceTimersByTime(900);
    expect(listener).not.toHaveBeenCalled();
    vi.advanceTimersByTime(200);
    reconnect();
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('waits for the reconnect if the socket notices the loss during the pause', () => {
    const listener = vi.fn();
    whenConnected(listener);
    connectionState.set('waiting');
    vi.advanceTimersByTime(60_000);
    expect(listener).not.toHaveBeenCalled();
    reconnect();
    reconnect();
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('calls once if the reconnect comes before the pause has ended', () => {
    const listener = vi.fn();
    connectionState.set('offline');
    whenConnected(listener);
    reconnect();
    vi.advanceTimersByTime(60_000);
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('does not call after it was stopped', () => {
    const listener = vi.fn();
    const stop = whenConnected(listener);
    stop();
    reconnect();
    vi.advanceTimersByTime(60_000);
    expect(listener).not.toHaveBeenCalled();
    expect(reconnectListeners.size).toBe(0);
  });
});
