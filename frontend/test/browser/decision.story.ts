// Around a decision: missing values, keys, other windows, a lost connection, and the other document
// of a finding.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { drawInvoice, drawLetter, graphql, openPageAs, submit } from './environment.ts';
import { act, claimReview, openReview, reviewOf, waitingReview } from './reviews.ts';
import { desktop, viewed } from './views.ts';

const number = (page: Page) => page.locator('[data-field="number"]');

test('an approval without required values needs a reason, and neither Enter nor n gives it', async () => {
  const { path } = await drawLetter('missing', [
    'Nordlicht Handels GmbH',
    'Rechnung',
    'Rechnungsdatum: 2026-10-14',
    'Gesamtbetrag EUR 6100,00',
  ]);
  const review = await reviewOf(await submit('submitter', path));
  const { context, page } = await openPageAs('manager', { size: desktop });
  await claimReview(page, review);
  await page.getByRole('list', { name: 'An approval needs' }).getByText('missing value').waitFor();
  await page.keyboard.press('a');
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/Required values are missing: .*Number/).waitFor();
  await viewed(page, 'decision-missing');
  const approve = dialog.getByRole('button', { name: 'Approve', exact: true });
  // The focus is in the reason, so that a key types.
  await page.keyboard.press('n');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Backspace');
  await dialog.waitFor();
  await expect.poll(() => approve.isDisabled()).toBe(true);
  await page.keyboard.type('The vendor numbers no invoices');
  await approve.click();
  await page.getByText('Decided by you: Approved').waitFor();
  const { review: after } = await graphql<{
    review: { status: string; decision: { reason: string } };
  }>('manager', 'query($id: ID!) { review(id: $id) { status decision { reason } } }', {
    id: review.id,
  });
  expect(after).toEqual({
    status: 'DECIDED',
    decision: { reason: 'The vendor numbers no invoices' },
  });
  await context.close();
});

test('no key approves a value that is stated twice and not checked', async () => {
  const { path } = await drawInvoice(6_150);
  const declared = ['--amount', '6100', '--currency', 'EUR'];
  const review = await reviewOf(await submit('submitter', path, ...declared));
  const { context, page } = await openPageAs('manager', { size: desktop });
  await claimReview(page, review);
  const decision = page.getByRole('region', { name: 'Decision' });
  const dialog = page.getByRole('dialog');
  const total = page.locator('[data-row="total"]');
  const focused = () => total.evaluate((row) => row === document.activeElement);
  await page.keyboard.press('a');
  await decision.getByRole('status').getByText('Check Total first.').waitFor();
  await expect.poll(focused).toBe(true);
  await page.keyboard.press('n');
  await expect.poll(() => dialog.count()).toBe(0);
  await viewed(page, 'decision-check-first');
  for (const key of ['n', 'Enter', 'Control+Enter']) {
    await decision.getByRole('button', { name: /^Approve/ }).click();
    await dialog.getByText('Not checked: Total').waitFor();
    await dialog.locator(':focus').getByText('Check the fields').waitFor();
    if (key === 'n') await viewed(page, 'decision-unchecked');
    await page.keyboard.press(key);
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(focused).toBe(true);
  }
  await decision.getByRole('button', { name: /^Approve/ }).click();
  await dialog.getByRole('button', { name: 'Approve unchecked' }).click();
  await page.getByText('Decided by you: Approved').waitFor();
  await context.close();
});

test('keys: one with unsaved input says why it does nothing, none is lost while a dialog closes', async () => {
  const review = await waitingReview(6_200);
  await waitingReview(6_210);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await claimReview(page, review);
  await number(page).fill('Not saved');
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  await page
    .getByRole('region', { name: 'Decision' })
    .getByRole('status')
    .getByText('Save or undo your corrections first.')
    .waitFor();
  await page.getByRole('button', { name: 'Undo all' }).click();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Rotate the page').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  await page.getByRole('dialog').getByText('Approve this document?').waitFor();
  // The key for the next review comes while the decision is being sent.
  await page.keyboard.press('Enter');
  await page.keyboard.press('n');
  await page.waitForURL((url) => !url.pathname.endsWith(review.id));
  await page.getByRole('button', { name: /^Release/ }).click();
  await context.close();
});

test('a second window shows the stored values after a decision', async () => {
  const review = await waitingReview(6_300);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await claimReview(page, review);
  const stored = await number(page).inputValue();
  await number(page).fill('Typed and not saved');
  await act('junior', 'decideReview', {
    reviewId: review.id,
    decision: 'REJECT',
    reason: 'Ordered twice.',
  });
  await page.getByText('Decided by you: Rejected').waitFor();
  await expect.poll(() => number(page).inputValue()).toBe(stored);
  await expect.poll(() => page.getByRole('button', { name: /^Save 1 correction/ }).count()).toBe(0);
  await context.close();
});

test('a correction that met no connection is sent once it is back, and the message goes', async () => {
  const review = await waitingReview(6_400);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await claimReview(page, review);
  await number(page).fill('Typed offline');
  await context.setOffline(true);
  await page.keyboard.press('Enter');
  await page.getByText('The server cannot be reached.').first().waitFor();
  await context.setOffline(false);
  await page.getByRole('button', { name: /^Save 1 correction/ }).waitFor({ state: 'detached' });
  await page.getByText('The server cannot be reached.').waitFor({ state: 'detached' });
  await expect.poll(() => number(page).inputValue()).toBe('Typed offline');
  await context.close();
});

test('a decision that met no connection is not sent after something else was typed', async () => {
  const review = await waitingReview(6_500);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await claimReview(page, review);
  await page.keyboard.press('a');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Approve this document?').waitFor();
  // The dialog takes the focus after it is shown.
  await dialog.locator(':focus').getByText('Approve', { exact: true }).waitFor();
  await context.setOffline(true);
  await page.keyboard.press('Enter');
  await page.getByText('The server cannot be reached.').first().waitFor();
  await page.getByLabel('Reason').fill('Wait, a doubt.');
  await context.setOffline(false);
  await page.getByText('The server cannot be reached.').waitFor({ state: 'detached' });
  await page.getByText('Draft saved').waitFor();
  await expect.poll(() => page.getByText('Decided by you').count()).toBe(0);
  await page.getByRole('button', { name: /^Release/ }).click();
  await context.close();
});

test('the other document of a finding opens beside this one, with the different values marked', async () => {
  const { path } = await drawInvoice(6_600);
  const first = await submit('submitter', path);
  const review = await reviewOf(await submit('submitter2', path));
  const { context, page } = await openPageAs('manager', { size: desktop });
  await openReview(page, review);
  await act('manager', 'claimReview', { reviewId: review.id });
  await act('manager', 'correctFields', {
    reviewId: review.id,
    fields: [{ name: 'number', value: 'ANOTHER-1' }],
  });
  await page.getByRole('button', { name: `Compare with ${first}` }).click();
  const dialog = page.getByRole('dialog', { name: `${review.case.reference} beside ${first}` });
  await dialog.getByRole('row', { name: /Number.*different.*ANOTHER-1/ }).waitFor();
  await expect.poll(() => dialog.locator('[data-page] img').count()).toBe(2);
  await expect.poll(() => dialog.locator('tr[data-different]').count()).toBe(1);
  await dialog.getByText(/The files are identical\. 1 of \d+ values differ/).waitFor();
  await expect.poll(() => dialog.locator('tbody tr').count()).toBe(1);
  await viewed(page, 'decision-compare');
  await dialog.getByLabel('Show only differences').click();
  await expect.poll(() => dialog.locator('tbody tr').count()).toBeGreaterThan(1);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await context.close();
});

test('the desk shows the earlier review of the case and who decided it', async () => {
  const review = await waitingReview(6_700);
  await act('junior', 'claimReview', { reviewId: review.id });
  await act('junior', 'decideReview', {
    reviewId: review.id,
    decision: 'ESCALATE',
    reason: 'The vendor is my landlord.',
  });
  const { context, page } = await openPageAs('manager', { size: desktop });
  await openReview(page, await reviewOf(review.case.reference));
  const others = page.getByRole('region', { name: 'Other reviews of this case' });
  await others.getByText(/Escalated by/).waitFor();
  await others.getByText('The vendor is my landlord.').waitFor();
  await context.close();
});
