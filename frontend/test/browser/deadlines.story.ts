import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, openPageAs, screenshot, sizes } from './environment.ts';
import { act, reviewOf, row, waiting } from './reviews.ts';
import { desktop } from './views.ts';

/** The deadlines that a place shows: what must be done, and until when. The later one is second. */
async function deadlinesIn(place: Locator): Promise<string[]> {
  const shown = place.locator('[data-deadline], [data-later]').filter({ visible: true });
  await shown.first().waitFor();
  return shown.evaluateAll((all) =>
    all.map((one) => {
      const { deadline, later } = (one as HTMLElement).dataset;
      return `${deadline ?? later} ${one.querySelector('time')?.dateTime}`;
    }),
  );
}

async function everywhere(page: Page, reference: string, review: string) {
  const places: Record<string, string[]> = {};
  const read = async (name: string, address: string, place: Locator) => {
    await page.goto(address);
    places[name] = await deadlinesIn(place);
  };
  const main = page.getByRole('main');
  await read('queue', '/queue', page.getByRole('listitem').filter(row(reference)));
  await read('desk', `/reviews/${review}`, main);
  await read('board', '/manage', page.getByRole('row').filter(row(reference)));
  await read('cases', `/cases?text=${reference}`, page.getByRole('row').filter(row(reference)));
  await read('case', `/cases/${reference}`, main);
  return places;
}

test('every page shows the deadline of a review that acts first, and the later one', async () => {
  const reference = await waiting(2_410, 'Deadline Alpha GmbH');
  const review = await reviewOf(reference);
  const { context, page } = await openPageAs('manager', { size: desktop });
  const open = await everywhere(page, reference, review.id);
  expect(open.desk?.map((text) => text.split(' ')[0])).toEqual(['claim', 'decide']);
  for (const [name, deadlines] of Object.entries(open))
    expect(deadlines, `${name}, not claimed`).toEqual(open.desk);
  await screenshot(page, 'deadlines-case-desktop');
  await expectAccessible(page, 'case with two deadlines');
  // The forecast counts the reviews that must be claimed before they can become overdue.
  await page.goto('/manage');
  await page
    .getByRole('cell', { name: /\d+ to claim/ })
    .first()
    .waitFor();
  await expectAccessible(page, 'forecast with reviews to claim');
  await act('manager', 'claimReview', { reviewId: review.id });
  const claimed = await everywhere(page, reference, review.id);
  for (const [name, deadlines] of Object.entries(claimed))
    expect(deadlines, `${name}, claimed`).toEqual([open.desk?.[1]]);
  await context.close();
});

test('two deadlines fit a phone', async () => {
  const reference = await waiting(2_420, 'Deadline Beta GmbH');
  const { context, page } = await openPageAs('senior', { size: sizes.phone });
  await page.goto('/queue');
  const deadlines = await deadlinesIn(page.getByRole('listitem').filter(row(reference)));
  expect(deadlines).toHaveLength(2);
  const overflow = () => document.documentElement.scrollWidth - window.innerWidth;
  await expect.poll(() => page.evaluate(overflow)).toBeLessThanOrEqual(0);
  await screenshot(page, 'deadlines-queue-phone');
  await context.close();
});
