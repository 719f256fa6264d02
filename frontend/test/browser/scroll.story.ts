// A queue of 10 000 reviews, whose pages the story makes from one real row.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { figure, openPageAs, screenshot } from './environment.ts';
import { waiting } from './reviews.ts';

const total = 10_000;
const pageSize = 100;

type Json = { [name: string]: unknown };

/** A copy of a row with ids of its own. */
function copyOf(row: Json, number: number): Json {
  const mine = row.case as Json;
  return {
    ...row,
    id: `${row.id as string}-${number}`,
    case: {
      ...mine,
      id: `${mine.id as string}-${number}`,
      reference: `CS-2026-${100_000 + number}`,
    },
  };
}

/** Serves further pages of the queue, and says in the live frames that there are as many rows. */
async function makeQueue(page: Page): Promise<void> {
  let sample: Json | undefined;
  await page.routeWebSocket('**/graphql', (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => {
      const message = JSON.parse(String(text)) as Json;
      const data = (message.payload as Json | undefined)?.data as Json | undefined;
      const change = data?.reviewQueue as Json | undefined;
      if (change) {
        change.totalCount = total;
        sample ??= (change.upserted as Json[])[0];
      }
      socket.send(JSON.stringify(message));
    });
  });
  await page.route('**/graphql', async (route) => {
    const body = route.request().postDataJSON() as Json | null;
    if (body?.operationName !== 'QueueRows' || !sample) return route.fallback();
    const after = Number((body.variables as Json).after ?? 0);
    const nodes = Array.from({ length: pageSize }, (_, at) => copyOf(sample ?? {}, after + at));
    const reviews = {
      __typename: 'ReviewConnection',
      nodes,
      pageInfo: {
        __typename: 'PageInfo',
        hasNextPage: after + pageSize < total,
        endCursor: String(after + pageSize),
      },
    };
    await route.fulfill({ json: { data: { __typename: 'Query', reviews } } });
  });
}

/** Scrolls so many pixels in each of so many frames, and returns the times between the frames. */
const scrolled = (page: Page, frames: number, pixels: number) =>
  page.evaluate(
    ([count, step]) =>
      new Promise<number[]>((resolve) => {
        const times: number[] = [];
        let last = 0;
        const next = (now: number) => {
          if (last > 0) times.push(now - last);
          last = now;
          scrollBy(0, step);
          if (times.length < count) requestAnimationFrame(next);
          else resolve(times);
        };
        requestAnimationFrame(next);
      }),
    [frames, pixels] as const,
  );

const at = (times: number[], share: number) =>
  [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? 0;

test('a queue of 10 000 rows scrolls, and its pages are read to the end', async () => {
  await waiting(2_510);
  const { context, page } = await openPageAs('manager');
  await makeQueue(page);
  await page.goto('/queue');
  const rows = page.getByRole('list', { name: 'Reviews' }).getByRole('listitem');
  await rows.first().waitFor();
  const more = page.getByRole('button', { name: 'Show more' });
  const loaded = async () =>
    Math.round(
      (await page
        .getByRole('list', { name: 'Reviews' })
        .evaluate((list) => list.getBoundingClientRect().height)) / 40,
    );
  for (let before = 0; await more.isVisible(); before = await loaded()) {
    await more.click();
    await expect
      .poll(async () => (await loaded()) > before || !(await more.isVisible()))
      .toBe(true);
  }
  await page.getByText('CS-2026-109899').or(rows.first()).first().waitFor();
  // Only the rows near the window are in the page.
  expect(await rows.count()).toBeLessThan(100);
  await page.evaluate(() => scrollTo(0, 0));
  const times = await scrolled(page, 600, 60);
  const dropped = times.filter((time) => time > 1000 / 60 + 8).length;
  figure(
    'scrolling 10 000 rows, time of a frame',
    `median ${at(times, 0.5).toFixed(1)} ms, p99 ${at(times, 0.99).toFixed(1)} ms, ${dropped} of ${times.length} dropped`,
  );
  await screenshot(page, 'queue-scrolled');
  await context.close();
}, 600_000);
