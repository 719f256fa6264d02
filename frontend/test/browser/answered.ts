// A page is left only when the server has answered what the page sent. Otherwise a click followed by
// the end of the window ends a command that was not sent, and the story fails by chance.
import type { BrowserContext, Page, Request } from 'playwright-core';

/** Playwright ends with an error what takes longer. */
const limit = 60_000;

/** Lets windows of the context close, and their pages load another address, only after all answers. */
export function leaveWhenAnswered(context: BrowserContext): void {
  const open = new Set<Request>();
  const ended = new Map<Request, () => void>();
  const end = (request: Request) => {
    open.delete(request);
    ended.get(request)?.();
    ended.delete(request);
  };
  context.on('request', (request) => {
    if (request.method() !== 'GET') open.add(request);
  });
  context.on('requestfinished', end);
  context.on('requestfailed', end);

  const answered = async (pages: readonly Page[]) => {
    // A click returns before its handlers have run; requests are reported before this evaluation ends.
    for (const page of pages) await page.evaluate(handlersRan).catch(() => undefined);
    const waiting = [...open].filter((request) => pages.includes(request.frame().page()));
    await Promise.all(
      waiting.map(
        (request) =>
          new Promise<void>((resolve, reject) => {
            const late = setTimeout(
              () => reject(new Error(`no answer to ${request.method()} ${request.url()}`)),
              limit,
            );
            ended.set(request, () => {
              clearTimeout(late);
              resolve();
            });
          }),
      ),
    );
  };
  const guard = (page: Page) => {
    const { goto, reload, close } = page;
    page.goto = async (...of) => {
      await answered([page]);
      return goto.apply(page, of);
    };
    page.reload = async (...of) => {
      await answered([page]);
      return reload.apply(page, of);
    };
    page.close = async (...of) => {
      await answered([page]);
      return close.apply(page, of);
    };
  };
  context.on('page', guard);
  const { close } = context;
  context.close = async (...of) => {
    await answered(context.pages());
    return close.apply(context, of);
  };
}

/** Resolves after the tasks that are queued in the page. */
function handlersRan(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => setTimeout(resolve));
  });
}
