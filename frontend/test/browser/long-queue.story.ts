// A queue of more reviews than the API counts: every review is reached, and only the rows in the
// window are drawn, by the reviewer's queue and by the manager's board.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import {
  expectAccessible,
  graphql,
  makeHistory,
  openPageAs,
  screenshot,
  sizes,
} from './environment.ts';
import { desktop } from './views.ts';

beforeAll(() => makeHistory({ cases: 3_500, open: true }));

/** The number of reviews that the person may read with the filter, counted page by page. */
async function countAll(as: 'senior' | 'manager', filter: object): Promise<number> {
  const query =
    'query($f: ReviewFilter, $a: Cursor) { reviews(first: 100, after: $a, filter: $f) { nodes { id } pageInfo { hasNextPage endCursor } } }';
  let count = 0;
  let after: string | null = null;
  do {
    const data: {
      reviews: { nodes: unknown[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
    } = await graphql(as, query, { f: filter, a: after });
    count += data.reviews.nodes.length;
    after = data.reviews.pageInfo.hasNextPage ? data.reviews.pageInfo.endCursor : null;
  } while (after !== null);
  return count;
}

const scrollToEnd = (page: Page) =>
  page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));

test('a queue of more than 1,000 reviews is shown to its end', async () => {
  const all = await countAll('senior', {});
  expect(all).toBeGreaterThan(1_100);
  const { context, page } = await openPageAs('senior', { size: desktop });
  await page.goto('/queue');
  await page.getByText('1000 reviews or more').waitFor();
  await page.getByRole('button', { name: 'Select the first 500', exact: true }).waitFor();
  await expectAccessible(page, 'long queue');
  const more = page.getByRole('button', { name: 'Show more', exact: true });
  const list = page.getByRole('list', { name: 'Reviews' });
  // The button goes with the last page, also while it is being clicked.
  await expect
    .poll(async () => {
      await more.click({ timeout: 2_000 }).catch(() => null);
      return more.count();
    })
    .toBe(0);
  await scrollToEnd(page);
  await list.locator(`li[data-index="${all - 1}"]`).waitFor();
  await expect.poll(() => list.getByRole('listitem').count()).toBeLessThan(60);
  // The keys continue from the row that has the focus, over rows that were not drawn before.
  await list.locator('li[data-index="300"]').waitFor({ state: 'detached' });
  await page.evaluate(() => scrollTo(0, 0));
  await list.locator('li[data-index="0"]').waitFor();
  const focused = () =>
    page.evaluate(() => Number(document.activeElement?.closest('li')?.dataset.index));
  for (let row = 0; row < 40; row++) {
    await page.keyboard.press('j');
    await expect.poll(focused).toBe(row);
  }
  await page.keyboard.press('x');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('2 selected').waitFor();
  await context.close();
});

test('the board shows, selects and reaches every review of a long list', async () => {
  const all = await countAll('manager', { all: true });
  expect(all).toBeGreaterThan(1_100);
  const { context, page } = await openPageAs('manager', { size: desktop });
  await page.goto('/manage');
  await page.getByText('Showing 100 of 1000 or more.').waitFor();
  const board = page.getByRole('table', { name: 'Reviews' });
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect.poll(() => board.getAttribute('aria-rowcount')).toBe(String(all + 1));
  await expect.poll(() => board.getByRole('row').count()).toBeLessThan(60);
  await expectAccessible(page, 'long board');
  const focused = () =>
    page.evaluate(() =>
      Number(document.activeElement?.closest('tr')?.getAttribute('aria-rowindex')),
    );
  // The last row and the first one are one key away; the arrows go over rows that were not drawn.
  await page.keyboard.press('k');
  await expect.poll(() => focused()).toBe(all + 1);
  await screenshot(page, 'board-long-desktop');
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => focused()).toBe(all);
  await board.getByRole('checkbox').nth(1).focus();
  const from = await focused();
  for (let row = 1; row < 40; row++) {
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe(from + row);
  }
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('2 selected').waitFor();
  // The row that has the focus stays while the page is scrolled.
  await scrollToEnd(page);
  await board.locator(`tr[aria-rowindex="${all + 1}"]`).waitFor();
  await expect.poll(() => focused()).toBe(42);
  await context.close();
  const phone = await openPageAs('manager', { size: sizes.phone });
  await phone.page.goto('/manage');
  await phone.page
    .getByRole('checkbox', { name: /^Select CS|^Select MH/ })
    .first()
    .waitFor();
  await screenshot(phone.page, 'board-long-phone');
  await expectAccessible(phone.page, 'long board on a phone');
  await phone.context.close();
});
