// A page is left only when the server has answered what the page sent. Otherwise a click followed by
// the end of the window ends a command that was not sent, and the story fails by chance.
import type { BrowserContext, Page, Request } from 'playwright-core';

/** Lets windows of the context close, and their pages load another address, only after all answers. */
export function leaveWhenAnswered(context: BrowserContext): void {
  const open = new Set<Request>();
  context.on('request', (request) => {
    if (request.method() !== 'GET') open.add(request);
  });
  context.on('requestfinished', (request) => open.delete(request));
  context.on('requestfailed', (request) => open.delete(request));

  const answered = async (...pages: Page[]) => {
    // A click returns before its handlers have run. Requests are reported before this evaluation ends.
    for (const page of pages) await page.evaluate(handlersRan).catch(() => undefined);
    const sent = [...open].filter((request) => pages.includes(request.frame().page()));
    // Without a connection there is no response, and the promise resolves too.
    await Promise.all(sent.map((request) => request.response()));
  };
  context.on('page', (page) => {
    const { goto, reload, close } = page;
    page.goto = async (...of) => {
      await answered(page);
      return goto.apply(page, of);
    };
    page.reload = async (...of) => {
      await answered(page);
      return reload.apply(page, of);
    };
    page.close = async (...of) => {
      await answered(page);
      return close.apply(page, of);
    };
  });
  const { close } = context;
  context.close = async (...of) => {
    await answered(...context.pages());
    return close.apply(context, of);
  };
}

/** Resolves after the tasks that are queued in the page, also if a story has stopped the timers of the page. */
function handlersRan(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    port2.postMessage(null);
  });
}
