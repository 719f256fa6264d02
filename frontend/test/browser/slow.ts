// Slow mode (make stories-slow): every answer and live event arrives late by a random time, and pages
// compute slowly. A story that depends on the speed of the machine fails here on purpose.
import type { BrowserContext, Page } from 'playwright-core';

/** A request, an answer and a live event are late by up to so many milliseconds. */
const latency = 500;
/** Pages compute so many times slower. */
const slowdown = 2;

/** Slows all pages of the context down. */
export async function slowDown(context: BrowserContext): Promise<void> {
  context.on('page', (page) => void throttle(context, page).catch(() => undefined));
  await context.addInitScript(delayAnswers, latency);
  await context.route('**/graphql', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * latency));
    // The page may be gone.
    await route.continue().catch(() => undefined);
  });
}

async function throttle(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
}

/** Runs in the page before its own code. Events of a socket keep their order. */
function delayAnswers(most: number): void {
  const late = () => Math.random() * most;
  // A story may stop the timers of the page.
  const { fetch, setTimeout } = globalThis;
  const now = performance.now.bind(performance);
  globalThis.fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (new URL(answer.url).pathname !== '/graphql') return answer;
    await new Promise((resolve) => setTimeout(resolve, late()));
    init?.signal?.throwIfAborted();
    return answer;
  };
  globalThis.WebSocket = class extends WebSocket {
    #last = 0;
    override set onmessage(handler: ((event: MessageEvent) => unknown) | null) {
      super.onmessage = (event) => {
        this.#last = Math.max(this.#last, now() + late());
        setTimeout(() => handler?.call(this, event), this.#last - now());
      };
    }
  };
}
