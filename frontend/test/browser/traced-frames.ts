// What the page's own thread computes for each frame, from a trace of the browser. Time in which other programs
// had the processor does not count, so that the figure is one of the page and not of the machine.
import type { Page } from 'playwright-core';

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  /** How long the thread computed, in microseconds. */
  tdur?: number;
}

/** Begins a trace. The function ends it and returns what was computed for each frame, in milliseconds. */
export async function tracedFrames(page: Page): Promise<() => Promise<number[]>> {
  const browser = page.context().browser();
  if (!browser) throw new Error('Only a page with a browser of its own can be traced.');
  await browser.startTracing(page, { categories: ['devtools.timeline', 'toplevel'] });
  return async () => {
    const trace = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
    return computedPerFrame(trace.traceEvents);
  };
}

/** A frame is a task that has the page painted; the thread that paints most is the page's. */
function computedPerFrame(events: readonly TraceEvent[]): number[] {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  const paints = new Map<string, TraceEvent[]>();
  for (const event of events)
    if (event.name === 'Paint' && event.ph === 'X')
      paints.set(threadOf(event), [...(paints.get(threadOf(event)) ?? []), event]);
  const [thread, own] = [...paints].sort(([, a], [, b]) => b.length - a.length)[0] ?? ['', []];
  const byTime = (a: TraceEvent, b: TraceEvent) => a.ts - b.ts;
  const tasks = events
    .filter((event) => threadOf(event) === thread && event.name.endsWith('RunTask'))
    .sort(byTime);
  const frames = new Set<TraceEvent>();
  let at = 0;
  for (const { ts } of own.sort(byTime)) {
    while ((tasks[at + 1]?.ts ?? Infinity) <= ts) at++;
    const task = tasks[at];
    if (task) frames.add(task);
  }
  return [...frames].map(({ tdur = 0 }) => tdur / 1_000);
}
