// The statistics: what a person, a manager and a submitter see of a period, in every view.
import { expect, test } from 'vitest';
import {
  expectAccessible,
  inEveryView,
  makeHistory,
  openPageAs,
  screenshot,
} from './environment.ts';
import { act, waitingReview } from './reviews.ts';
import { desktop } from './views.ts';

const day = (before: number) =>
  new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10);

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
  const week = page.getByRole('button', { name: 'Last 7 days' });
  await week.click();
  await expect.poll(() => week.getAttribute('aria-pressed')).toBe('true');
  await page.reload();
  await expect.poll(() => week.getAttribute('aria-pressed')).toBe('true');
  // The file has what the page shows.
  await page.getByRole('button', { name: 'Export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /CSV/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.csv$/);
  await context.close();
});

test('the statistics fit every size and language', async () => {
  await inEveryView('manager', async (page, name) => {
    await page.goto('/statistics?by=QUEUE');
    await page.locator('table').first().waitFor();
    await expectAccessible(page, `statistics ${name}`);
    await screenshot(page, `statistics-${name}`);
  });
});

test('a manager compares past weeks with a change, in every view', async () => {
  const { context, page } = await openPageAs('manager', { size: desktop });
  await page.goto('/statistics/forecast?weeks=4');
  await page.getByText('No forecast').waitFor();
  await makeHistory();
  await page.goto('/statistics?from=2000-01-01');
  await page.getByRole('button', { name: 'Last 90 days' }).click();
  const figures = page.getByRole('region', { name: 'Figures' });
  await figures.getByRole('row').nth(60).waitFor();
  await screenshot(page, 'statistics-three-months');
  await page.getByRole('radiogroup').getByText('Process', { exact: true }).click();
  await figures.getByRole('rowheader', { name: 'Document approval' }).waitFor();
  await page.getByRole('link', { name: 'Forecast with a change' }).click();
  await page.getByRole('table', { name: 'Queues' }).waitFor();
  await page.getByRole('combobox', { name: 'Queue', exact: true }).click();
  await page.getByRole('option', { name: 'L1' }).click();
  await page.getByRole('textbox', { name: 'Reviewers +/−' }).fill('-1');
  await page.getByText(/With the change: \d+ late/).waitFor();
  await page.getByRole('combobox', { name: 'Process' }).click();
  await page.getByRole('option', { name: 'Document approval' }).click();
  await page.getByRole('textbox', { name: 'Review from amount' }).fill('5000');
  await page.keyboard.press('Enter');
  await page.getByText(/The amount removes up to \d+ reviews/).waitFor();
  expect(new URL(page.url()).searchParams.get('from')).toMatch(/5000/);
  await screenshot(page, 'forecast-changed');
  await page.reload();
  await page.getByText(/The amount removes up to \d+ reviews/).waitFor();
  await page.getByText('Open reviews at the end of each week, as a table').click();
  await page.getByRole('columnheader', { name: 'With the change' }).first().waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /CSV/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.csv$/);
  await context.close();
  await inEveryView('manager', async (view, name) => {
    await view.goto('/statistics/forecast?weeks=12&queue=L1&reviewers=1');
    await view.locator('table').first().waitFor();
    await expectAccessible(view, `forecast ${name}`);
    await screenshot(view, `forecast-${name}`);
    await view.goto(`/statistics?from=${day(89)}&to=${day(0)}`);
    await view.getByRole('table', { name: /rule|规则/ }).waitFor();
    await expectAccessible(view, `statistics of three months ${name}`);
    await screenshot(view, `statistics-months-${name}`);
  });
});
