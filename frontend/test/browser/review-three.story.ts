import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  drawInvoiceWithCover,
  environment,
  expectAccessible,
  expireClaims,
  openPageAs,
  runCLI,
  screenshot,
  sizes,
  submit,
} from './environment.ts';
import { claimReview, reviewOf, waitingReview } from './reviews.ts';

const vendor = (page: Page) => page.locator('input[data-field="vendor"]');
const confirm = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name }).click();

test('a document is returned with a question, and the submitter answers with a large file', async () => {
  const review = await waitingReview(3_400);
  const { context, page } = await openPageAs('junior');
  await claimReview(page, review);
  await expect
    .poll(() => page.getByRole('button', { name: /^Return/ }).getAttribute('aria-disabled'))
    .toBe('true');
  await page.getByLabel('Reason').fill('Which cost centre?');
  await page.getByRole('button', { name: /^Return/ }).click();
  await page.getByRole('dialog').getByText('Return it to the submitter?').waitFor();
  await screenshot(page, 'review-return');
  await confirm(page, 'Return');
  await page.getByText('Decided by you: Returned').waitFor();
  await screenshot(page, 'review-returned');
  await context.close();
  const theirs = await openPageAs('submitter');
  const pieces: string[] = [];
  theirs.page.on('request', (request) => {
    if (request.url().includes('/uploads/') && request.method() === 'PATCH')
      pieces.push(request.url());
  });
  await theirs.page.goto(`/cases/${review.case.id}`);
  await theirs.page.getByText('Which cost centre?').first().waitFor();
  await theirs.page.getByRole('textbox', { name: 'Your answer' }).fill('4711, see the letter.');
  await theirs.page
    .getByLabel('Choose another file')
    .setInputFiles((await drawInvoiceWithCover(3_400, 9_500_000)).path);
  await theirs.page.getByRole('button', { name: 'Resubmit' }).click();
  await theirs.page.getByText('Waiting for a decision.').waitFor();
  await theirs.page.getByText(/Revision 2/).waitFor();
  expect(pieces.length).toBeGreaterThan(0);
  await theirs.context.close();
});

test('a review is escalated: it leaves my list and waits at the next level', async () => {
  const review = await waitingReview(3_500);
  const { context, page } = await openPageAs('junior');
  await claimReview(page, review);
  await page.getByLabel('Reason').fill('The vendor is my landlord’s firm.');
  await page.getByRole('button', { name: /^Escalate/ }).click();
  await confirm(page, 'Escalate');
  await page.getByText('Decided by you: Escalated').waitFor();
  await expectAccessible(page, 'escalated');
  await screenshot(page, 'review-escalated');
  await expect.poll(async () => (await reviewOf(review.case.reference)).queue).toBe('L2');
  await context.close();
});

test('a document of several pages: its boxes lie on their page, and the focus brings the page into view', async () => {
  const review = await reviewOf(
    await submit('submitter', (await drawInvoiceWithCover(3_600)).path),
  );
  const { context, page } = await openPageAs('junior');
  await claimReview(page, review);
  const place = page.getByRole('region', { name: 'Document pages' });
  await expect.poll(() => place.locator('img').count()).toBe(2);
  await page.keyboard.press('f');
  await page.locator('[data-field]:focus').waitFor();
  const inside = async (name: string) => {
    const [box, outer] = await Promise.all([
      page.locator(`[data-box="${name}"][data-lit]`).boundingBox(),
      place.boundingBox(),
    ]);
    return (
      box !== null &&
      outer !== null &&
      box.y >= outer.y &&
      box.y + box.height <= outer.y + outer.height
    );
  };
  await page.locator('[data-field="vendor"]').focus();
  await expect
    .poll(async () => {
      await page.keyboard.press('ArrowDown');
      return page.locator('[data-field="total"]:focus').count();
    })
    .toBe(1);
  await expect.poll(() => inside('total')).toBe(true);
  const second = await place.locator('img').nth(1).boundingBox();
  const lit = await page.locator('[data-box][data-lit]').boundingBox();
  expect((lit?.y ?? 0) >= (second?.y ?? Number.POSITIVE_INFINITY)).toBe(true);
  // What was read on the cover lies there, and Tab goes across the pages.
  await page.locator('[data-box="total"][data-lit]').waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(() => page.locator('[data-box="total"][data-lit]').count()).toBe(0);
  await expectAccessible(page, 'two pages');
  await screenshot(page, 'review-pages');
  await page.setViewportSize(sizes.phone);
  const sideways = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  await expect.poll(sideways).toBeLessThanOrEqual(0);
  await screenshot(page, 'review-pages-phone');
  await context.close();
});

test('a claim expires: the assignee is notified, the draft is kept, and a colleague can claim the review', async () => {
  const review = await waitingReview(3_700);
  const { context, page } = await openPageAs('junior');
  await claimReview(page, review);
  await vendor(page).fill('Half typed');
  await page.getByText('Draft saved').waitFor();
  expect((await expireClaims(review.case.reference)).done).toBe(true);
  await page.getByText('Your claim has ended').waitFor();
  await expect.poll(() => vendor(page).inputValue()).toBe('Half typed');
  await expectAccessible(page, 'claim ended');
  await screenshot(page, 'review-lapsed');
  await page.getByRole('button', { name: /Claim again/ }).click();
  await page.getByRole('button', { name: /^Release/ }).waitFor();
  await expect.poll(() => vendor(page).inputValue()).toBe('Half typed');
  await page.getByText('Draft saved').waitFor();
  expect((await expireClaims(review.case.reference)).done).toBe(true);
  await page.getByText('Your claim has ended').waitFor();
  const said = await runCLI('junior2', 'review', 'claim', review.case.reference);
  expect(said.code, said.all).toBe(0);
  await page.getByText(/It is now with Jun Park/).waitFor();
  await context.close();
});

test('the session ends in the middle of a decision: what was typed stays, and the decision is made after', async () => {
  const review = await waitingReview(3_800);
  const { context, page } = await openPageAs('junior');
  await claimReview(page, review);
  await page.getByLabel('Reason').fill('No order exists.');
  await page.getByRole('button', { name: /^Reject/ }).click();
  await context.clearCookies();
  // Another request of the page may have noticed the end of the session before the click.
  const reject = page.getByRole('dialog').getByRole('button', { name: 'Reject' });
  await reject.click({ timeout: 5_000 }).catch(() => undefined);
  await page.locator('input[name="password"]').waitFor();
  await screenshot(page, 'review-session-ended');
  await expect.poll(() => page.getByText('This review is no longer yours').count()).toBe(0);
  await page.locator('input[name="password"]').fill(environment.people.junior.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('input[name="password"]').waitFor({ state: 'detached' });
  await expect.poll(() => page.getByLabel('Reason').inputValue()).toBe('No order exists.');
  if ((await page.getByRole('dialog').count()) === 0)
    await page.getByRole('button', { name: /^Reject/ }).click();
  await confirm(page, 'Reject');
  await page.getByText('Decided by you: Rejected').waitFor();
  await context.close();
});

test('after leaving the page the review is still mine, with the typed values', async () => {
  const review = await waitingReview(3_900);
  const { context, page } = await openPageAs('junior');
  await page.goto('/queue');
  await claimReview(page, review);
  await vendor(page).fill('Before going back');
  await page.getByText('Draft saved').waitFor();
  await page.goBack();
  await page.waitForURL('**/queue');
  await page.goForward();
  await page.getByRole('button', { name: /^Release/ }).waitFor();
  await expect.poll(() => vendor(page).inputValue()).toBe('Before going back');
  await context.close();
});
