// The loss of the connection in stories.
import type { BrowserContext, Page } from 'playwright-core';
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
