// The connection is lost in the middle of a command: it is sent once more when the connection is back.
import { expect, test } from 'vitest';
import { openPageAs } from './environment.ts';
import { cutOff, eventsOf, unreachable } from './offline.ts';
import { claimReview, openReview, waitingReview } from './reviews.ts';
import { desktop } from './views.ts';

test('claim, release and approval are sent once more, and have one effect each', async () => {
  const review = await waitingReview(9_100);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await openReview(page, review);
  await cutOff(context, page, () => page.getByRole('button', { name: /^Claim/ }).click());
  await page.getByRole('button', { name: /^Release/ }).waitFor();
  await unreachable(page).waitFor({ state: 'detached' });
  await expect.poll(() => eventsOf(review, 'review.claimed')).toBe(1);
  await cutOff(context, page, () => page.getByRole('button', { name: /^Release/ }).click());
  await page.getByRole('button', { name: /^Claim/ }).waitFor();
  await unreachable(page).waitFor({ state: 'detached' });
  await expect.poll(() => eventsOf(review, 'review.released')).toBe(1);
  await claimReview(page, review);
  await page.getByRole('button', { name: /^Approve/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await cutOff(context, page, () => dialog.getByRole('button', { name: 'Approve' }).click());
  await page.getByText('Decided by you: Approved').waitFor();
  await unreachable(page).waitFor({ state: 'detached' });
  await expect.poll(() => eventsOf(review, 'review.decided')).toBe(1);
  await context.close();
});

test('a rejection whose answer is lost is sent once more, and decides once', async () => {
  const review = await waitingReview(9_200);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await claimReview(page, review);
  await page.getByLabel('Reason').fill('Ordered twice.');
  await page.getByText('Draft saved').waitFor();
  await page.getByRole('button', { name: /^Reject/ }).click();
  // The server takes the command, and the connection ends before its answer.
  let taken = false;
  let lost = 0;
  await page.route(/\/graphql/, async (route) => {
    if (!route.request().postData()?.includes('Ordered twice.') || taken) return route.continue();
    taken = true;
    // The page is offline before the server decides: no live event takes the row away first.
    await context.setOffline(true);
    await route.fetch();
    await route.abort('internetdisconnected');
    lost++;
  });
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await expect.poll(() => lost).toBe(1);
  await context.setOffline(false);
  await page.getByText('Decided by you: Rejected').waitFor();
  await unreachable(page).waitFor({ state: 'detached' });
  await expect.poll(() => eventsOf(review, 'review.decided')).toBe(1);
  await context.close();
});

test('a bulk approval is sent once more, approves each review once, and the message goes', async () => {
  const reviews = [await waitingReview(1_940), await waitingReview(1_950)];
  const { context, page } = await openPageAs('senior', { size: desktop });
  await page.goto('/queue');
  for (const review of reviews)
    await page.getByRole('checkbox', { name: `Select ${review.case.reference}` }).check();
  await page.getByRole('button', { name: 'Approve 2' }).click();
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'Approve 2' });
  await confirm.waitFor();
  await cutOff(context, page, () => confirm.click());
  const results = page.getByRole('region', { name: 'Results' });
  await results.getByText('2 of 2 completed').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await unreachable(page).waitFor({ state: 'detached' });
  for (const review of reviews) await expect.poll(() => eventsOf(review, 'review.decided')).toBe(1);
  await context.close();
});

test('a bulk approval whose answer is lost approves once; one that is cancelled is not sent', async () => {
  const review = await waitingReview(1_960);
  const { context, page } = await openPageAs('senior', { size: desktop });
  await page.goto('/queue');
  await page.getByRole('checkbox', { name: `Select ${review.case.reference}` }).check();
  const dialog = page.getByRole('dialog');
  const ask = async () => {
    await page.getByRole('button', { name: 'Approve 1' }).click();
    await dialog.getByRole('button', { name: 'Approve 1' }).waitFor();
  };
  await ask();
  await context.setOffline(true);
  await dialog.getByRole('button', { name: 'Approve 1' }).click();
  await unreachable(page).first().waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await context.setOffline(false);
  await unreachable(page).waitFor({ state: 'detached' });
  await expect.poll(() => eventsOf(review, 'review.decided')).toBe(0);
  await ask();
  let lost = 0;
  await page.route(/\/graphql/, async (route) => {
    if (!route.request().postData()?.includes('expectedVersion') || lost > 0)
      return route.continue();
    lost++;
    await context.setOffline(true);
    await route.fetch();
    await route.abort('internetdisconnected');
  });
  await dialog.getByRole('button', { name: 'Approve 1' }).click();
  await unreachable(page).first().waitFor();
  await context.setOffline(false);
  await page.getByRole('region', { name: 'Results' }).getByText('1 of 1 completed').waitFor();
  await unreachable(page).waitFor({ state: 'detached' });
  expect(lost).toBe(1);
  await expect.poll(() => eventsOf(review, 'review.decided')).toBe(1);
  await context.close();
});

test('a bulk approval whose row has left the list before it is sent once more shows its result', async () => {
  const review = await waitingReview(1_970);
  const { context, page } = await openPageAs('senior', { size: desktop });
  await page.goto('/queue');
  const box = page.getByRole('checkbox', { name: `Select ${review.case.reference}` });
  await box.check();
  await page.getByRole('button', { name: 'Approve 1' }).click();
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Approve 1' });
  await confirm.waitFor();
  let lost = 0;
  await page.route(/\/graphql/, async (route) => {
    if (!route.request().postData()?.includes('expectedVersion') || lost > 0)
      return route.continue();
    lost++;
    await route.fetch();
    await route.abort('connectionreset');
  });
  await confirm.click();
  // Live events still arrive, and take the row out of the list. No reconnect follows.
  await box.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Results' }).getByText('1 of 1 completed').waitFor();
  await unreachable(page).waitFor({ state: 'detached' });
  await expect.poll(() => eventsOf(review, 'review.decided')).toBe(1);
  await context.close();
});

test('an approval that is lost while live events arrive is sent once more', async () => {
  const review = await waitingReview(9_400);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await claimReview(page, review);
  let lost = 0;
  await page.route(/\/graphql/, async (route) => {
    if (!route.request().postData()?.includes('"APPROVE"') || lost > 0) return route.continue();
    lost++;
    await route.abort('connectionreset');
  });
  await page.getByRole('button', { name: /^Approve/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Decided by you: Approved').waitFor();
  expect(lost).toBe(1);
  await unreachable(page).waitFor({ state: 'detached' });
  await expect.poll(() => eventsOf(review, 'review.decided')).toBe(1);
  await context.close();
});

test('a note that met no connection is not lost, and is there once', async () => {
  const review = await waitingReview(9_300);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await openReview(page, review);
  const notes = page.getByRole('region', { name: 'Notes', exact: true });
  const text = 'Written without a connection';
  await page.getByRole('textbox', { name: 'New note' }).fill(text);
  await cutOff(context, page, () => notes.getByRole('button', { name: 'Add note' }).click());
  await notes.getByRole('listitem').getByText(text).waitFor();
  await unreachable(page).waitFor({ state: 'detached' });
  await expect.poll(() => notes.getByRole('listitem').getByText(text).count()).toBe(1);
  await context.close();
});
