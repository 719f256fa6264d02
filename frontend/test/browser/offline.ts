// The loss of the connection in stories.
import type { BrowserContext, Page, Request } from 'playwright-core';
import { graphql } from './environment.ts';
import type { Waiting } from './reviews.ts';

export const unreachable = (page: Page) => page.getByText('The server cannot be reached.');

/** Runs the action without a connection; what it sent is sent again when the connection is back. */
export async function cutOff(context: BrowserContext, page: Page, action: () => Promise<void>) {
  await context.setOffline(true);
  await action();
  await unreachable(page).first().waitFor();
  await context.setOffline(false);
}

/** How often an event of the type is in the log of the case. */
export async function eventsOf(review: Pick<Waiting, 'case'>, type: string): Promise<number> {
  const { case: found } = await graphql<{ case: { lastEvents: { type: string }[] } }>(
    'manager',
    'query($id: ID!) { case(id: $id) { lastEvents(last: 50) { type } } }',
    { id: review.case.id },
  );
  return found.lastEvents.filter((event) => event.type === type).length;
}

/**
 * Runs the action. The server handles the first command with the text, or with a file if it is null, and the connection ends before its
 * answer; no live event arrives before it is back.
 */
export async function loseAnswer(
  context: BrowserContext,
  page: Page,
  text: string | null,
  action: () => Promise<void>,
) {
  let lost = 0;
  const isCommand = (request: Request) =>
    text === null
      ? (request.headers()['content-type'] ?? '').startsWith('multipart/')
      : request.postData()?.includes(text);
  await page.route(/\/graphql/, async (route) => {
    if (lost > 0 || !isCommand(route.request())) return route.continue();
    lost++;
    await context.setOffline(true);
    await route.fetch();
    await route.abort('internetdisconnected');
  });
  await action();
  await unreachable(page).first().waitFor();
  await context.setOffline(false);
  await page.unroute(/\/graphql/);
}

/** Both ways in which a command meets the end of the connection: it never arrives, or its answer is lost. */
export const losses = {
  'never arrives': (
    context: BrowserContext,
    page: Page,
    _: string | null,
    action: () => Promise<void>,
  ) => cutOff(context, page, action),
  'has lost its answer': loseAnswer,
};
