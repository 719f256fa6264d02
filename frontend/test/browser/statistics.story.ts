// The statistics: what a person, a manager and a submitter see of a period, in every view.
import { expect, test } from 'vitest';
import { expectAccessible, inEveryView, openPageAs, screenshot } from './environment.ts';
import { act, waitingReview } from './reviews.ts';
import { desktop } from './views.ts';

test('decided reviews are counted, for their reviewer and for the manager of the queue', async () => {
  const review = await waitingReview(2_800);
  await act('junior', 'claimReview', { reviewId: review.id });
  await act('junior', 'decideReview', {
    reviewId: review.id,
    decision: 'REJECT',
    reason: 'A trial.',
  });
  const own = await openPageAs('junior', { size: desktop });
  await own.page.goto('/statistics');
  await own.page.getByText('You see your own decisions.').waitFor();
  const figures = own.page.getByRole('region', { name: 'Figures' });
  await figures.getByRole('row', { name: /^Total/ }).waitFor();
  await screenshot(own.page, 'statistics-own');
  await own.context.close();
  const { context, page } = await openPageAs('manager', { size: desktop });
  await page.goto('/statistics?by=PERSON');
  await page.getByRole('row', { name: /junior/ }).waitFor();
  await page.getByText('Waiting time of the steps').waitFor();
  await screenshot(page, 'statistics-manager');
  // A group of the table narrows the page, and the address keeps it.
  await page.getByRole('button', { name: 'Show only junior' }).click();
  await page.getByRole('button', { name: /Person junior: remove filter/ }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('person')).toBeNull();
  await page.getByRole('button', { name: 'Last 7 days' }).click();
  await page.reload();
  expect(await page.getByRole('button', { name: 'Last 7 days' }).getAttribute('aria-pressed')).toBe(
    'true',
  );
  // The file has what the page shows.
  await page.getByRole('button', { name: 'Export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /CSV/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.csv$/);
  await context.close();
}, 240_000);

test('the statistics fit every size and language', async () => {
  await inEveryView('manager', async (page, name) => {
    await page.goto('/statistics?by=QUEUE');
    await page.locator('table').first().waitFor();
    await expectAccessible(page, `statistics ${name}`);
    await screenshot(page, `statistics-${name}`);
  });
}, 480_000);

test('a manager compares past weeks with a change, in every view', async () => {
  await inEveryView('manager', async (page, name) => {
    await page.goto('/statistics/forecast?weeks=4');
    await page.getByText('No forecast').or(page.getByText('没有预测')).first().waitFor();
    await expectAccessible(page, `forecast ${name}`);
    await screenshot(page, `forecast-${name}`);
  });
}, 480_000);
