import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, graphql, openPageAs, screenshot, sizes } from './environment.ts';
import { act, claimReview, openReview, waitingReview } from './reviews.ts';

const vendor = (page: Page) => page.locator('input[data-field="vendor"]');
const number = (page: Page) => page.getByRole('textbox', { name: /^Number/ });

test('reassigned by a manager: the page says so, and the typed values stay', async () => {
  const review = await waitingReview(3_000);
  const { context, page } = await openPageAs('junior');
  await claimReview(page, review);
  await vendor(page).fill('Typed by junior');
  await page.getByText('Draft saved').waitFor();
  const people = await graphql<{ people: { id: string; name: string }[] }>(
    'manager',
    '{ people { id name } }',
  );
  const to = people.people.find(({ name }) => name === 'Jun Park')?.id;
  await act('manager', 'reassignReviews', { reviewIds: [review.id], to, reason: 'Leave' });
  await page.getByText('This review is no longer yours').waitFor();
  await page.getByText(/It is now with Jun Park/).waitFor();
  await expect.poll(() => vendor(page).inputValue()).toBe('Typed by junior');
  await expect
    .poll(() => page.getByRole('button', { name: /^Approve/ }).getAttribute('aria-disabled'))
    .toBe('true');
  // The word that the pointer calls up over a button is no part of the page.
  await page.mouse.move(5, 500);
  await page.getByRole('tooltip').waitFor({ state: 'detached' });
  await expectAccessible(page, 'lost');
  await screenshot(page, 'review-lost');
  await context.close();
});

test('a colleague changed it in between: both versions side by side, keep or take', async () => {
  const review = await waitingReview(3_100);
  const { context, page } = await openPageAs('junior');
  await claimReview(page, review);
  await number(page).fill('Mine');
  await page.getByText('Draft saved').waitFor();
  await act('junior', 'releaseReview', { reviewId: review.id });
  await page.getByText('Your claim has ended').waitFor();
  await act('junior2', 'claimReview', { reviewId: review.id });
  await act('junior2', 'correctFields', {
    reviewId: review.id,
    fields: [
      { name: 'number', value: 'Theirs' },
      { name: 'due_date', value: '2027-01-31' },
    ],
  });
  await act('junior2', 'releaseReview', { reviewId: review.id });
  await page.getByRole('button', { name: /Claim again/ }).click();
  const panel = page.getByRole('region', { name: 'Conflicting changes' });
  await panel.getByText('Jun Park changed values while you were editing.').waitFor();
  await panel.getByText('Mine', { exact: true }).waitFor();
  await panel.getByText('Theirs', { exact: true }).waitFor();
  await panel.getByText('31 Jan 2027').waitFor();
  await page.mouse.move(5, 500);
  await page.getByRole('tooltip').waitFor({ state: 'detached' });
  await expectAccessible(page, 'two versions');
  await screenshot(page, 'review-two-versions');
  await page.setViewportSize(sizes.phone);
  const sideways = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  await expect.poll(sideways).toBeLessThanOrEqual(0);
  await expectAccessible(page, 'two versions on a phone');
  await screenshot(page, 'review-two-versions-phone');
  await page.setViewportSize(sizes.desktop);
  await expect
    .poll(() =>
      panel
        .getByRole('button', { name: 'Continue with the new values' })
        .getAttribute('aria-disabled'),
    )
    .toBe('true');
  await panel.getByRole('button', { name: 'Keep mine: Number' }).click();
  await panel.getByRole('button', { name: 'Continue with the new values' }).click();
  await panel.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /Save 1 correction/ }).click();
  await page.getByRole('button', { name: /Save 1 correction/ }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Release/ }).click();
  await context.close();
});

test('two tabs decide the same review: the later one shows that it was decided', async () => {
  const review = await waitingReview(13_200);
  const { context, page } = await openPageAs('junior');
  await claimReview(page, review);
  const other = await context.newPage();
  await openReview(other, review);
  await other.getByRole('button', { name: /^Release/ }).waitFor();
  // The other tab does not hear of anything until it has sent its own decision.
  await other.routeWebSocket('**/graphql', () => undefined);
  await other.reload();
  await other.getByRole('button', { name: /^Release/ }).waitFor();
  await other.getByRole('button', { name: /^Approve/ }).click();
  await other.getByRole('dialog').waitFor();
  await page.getByLabel('Reason').fill('Ordered twice.');
  await page.getByRole('button', { name: /^Reject/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await page.getByText('Decided by you: Rejected').waitFor();
  await other.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await other.getByText('Decided by you: Rejected').waitFor();
  await other.getByText(/has already decided this review/).waitFor();
  await screenshot(other, 'review-two-tabs');
  await context.close();
});

test('a value typed in another tab is shown after the decision as one that was not sent', async () => {
  const review = await waitingReview(13_250);
  const { context, page } = await openPageAs('junior');
  await claimReview(page, review);
  const other = await context.newPage();
  await openReview(other, review);
  await other.getByRole('button', { name: /^Release/ }).waitFor();
  const total = other.getByRole('textbox', { name: /^Total/ });
  await total.fill('99.10');
  await other.getByText('Draft saved').waitFor();
  await total.press('Enter');
  await other.getByRole('dialog').waitFor();
  await other.keyboard.press('Escape');
  await other.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Approve/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Decided by you: Approved').waitFor();
  await other.getByText('Decided by you: Approved').waitFor();
  await other.getByRole('button', { name: /^Save 1 correction/ }).waitFor({ state: 'detached' });
  // The fields have what is saved, and the typed value is named apart from them.
  await other.getByText('What you entered was not sent:').waitFor();
  await expect.poll(() => other.getByText('99.10').count()).toBe(1);
  await expect.poll(() => other.locator('[data-row="total"]').textContent()).not.toContain('99.10');
  await context.close();
});

test('another tab of mine corrects: this one shows what changed before it decides', async () => {
  const review = await waitingReview(13_300);
  const { context, page } = await openPageAs('junior');
  await claimReview(page, review);
  // The page states no order number, so one reviewer may enter it.
  await act('junior', 'correctFields', {
    reviewId: review.id,
    fields: [{ name: 'order_number', value: 'From the other window' }],
  });
  const panel = page.getByRole('region', { name: 'Conflicting changes' });
  await panel.getByText('You changed values in another window.').waitFor();
  await panel.getByRole('button', { name: 'Continue with the new values' }).click();
  await page.getByRole('button', { name: /^Approve/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Decided by you: Approved').waitFor();
  await context.close();
});

test('a window that is closed after a click has sent its command', async () => {
  const review = await waitingReview(13_350);
  const { context, page } = await openPageAs('junior');
  await openReview(page, review);
  // The command leaves the page late, as on a slow machine.
  await page.route('**/graphql', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await route.continue();
  });
  await page.getByRole('button', { name: /^Claim/ }).click();
  await context.close();
  const { review: after } = await graphql<{ review: { assignee: { name: string } | null } }>(
    'manager',
    'query($id: ID!) { review(id: $id) { assignee { name } } }',
    { id: review.id },
  );
  expect(after.assignee?.name).toBe('junior');
});
