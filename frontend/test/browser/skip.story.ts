// A review that is skipped is not claimed again until the skip is undone.
import { test } from 'vitest';
import { expectAccessible, openPageAs } from './environment.ts';
import { claimReview, waitingReview } from './reviews.ts';
import { desktop, viewed } from './views.ts';

test('skipping claims the review after it; the queue shows and undoes the skip', async () => {
  const first = await waitingReview(5_100);
  const second = await waitingReview(5_110);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await claimReview(page, first);
  await page.keyboard.press('s');
  await page.waitForURL((url) => url.pathname.endsWith(second.id));
  await page.getByRole('button', { name: /^Release/ }).waitFor();
  // Nothing else is left, so the queue opens.
  await page.keyboard.press('s');
  await page.waitForURL((url) => url.pathname === '/queue');
  await page.getByText('2 reviews skipped.', { exact: false }).waitFor();
  await viewed(page, 'skip-queue');
  await expectAccessible(page, 'queue with skipped reviews');
  await page.getByRole('button', { name: `Undo the skip of ${first.case.reference}` }).click();
  await page.getByText('1 review skipped.', { exact: false }).waitFor();
  await page.keyboard.press('n');
  await page.waitForURL((url) => url.pathname.endsWith(first.id));
  await page.getByRole('button', { name: /^Release/ }).click();
  await context.close();
});
