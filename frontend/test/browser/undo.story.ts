// An approval that can be undone: one key, no question, and a short time to take it back.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import {
  drawInvoice,
  expectAccessible,
  graphql,
  openPageAs,
  screenshot,
  submit,
} from './environment.ts';
import {
  act,
  claimReview,
  openReview,
  publishProcess,
  reviewOf,
  waitingReview,
} from './reviews.ts';
import { desktop, viewed } from './views.ts';

// On a busy machine, a story may take longer than the 30 seconds of the built-in process.
beforeAll(() =>
  publishProcess('document_approval', (document) => document.replace('undo: 30s', 'undo: 20m')),
);

const notice = (page: Page) => page.getByRole('region', { name: 'Recent decisions' });

/** The page offers the approval without a question once the review was in view for a moment. */
const offered = (page: Page) => page.getByRole('button', { name: /^Approve and next/ }).waitFor();

const statusOf = async (reference: string): Promise<string | undefined> => {
  const query = 'query($t: String) { cases(filter: {text: $t}) { nodes { status } } }';
  const data = await graphql<{ cases: { nodes: { status: string }[] } }>('auditor', query, {
    t: reference,
  });
  return data.cases.nodes[0]?.status;
};

test('one key approves and opens the next; z gives the review back with its reason', async () => {
  const review = await waitingReview(2_100);
  await waitingReview(2_110);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await claimReview(page, review);
  await page.getByLabel('Reason').fill('As ordered.');
  await page.keyboard.press('Escape');
  await offered(page);
  await page.keyboard.press('a');
  await page.waitForURL((url) => !url.pathname.endsWith(review.id));
  await page.getByRole('button', { name: /^Release/ }).waitFor();
  await notice(page).getByText(`Decided: ${review.case.reference}.`).waitFor();
  await viewed(page, 'undo-next');
  await expect.poll(() => statusOf(review.case.reference)).toBe('IN_REVIEW');
  await page.reload();
  // After a reload the decided review itself offers the undo.
  await openReview(page, review);
  const line = notice(page).getByText(`Decided: ${review.case.reference}.`);
  await line.waitFor();
  await expectAccessible(page, 'notice of an undo');
  await page.keyboard.press('z');
  await page.getByRole('button', { name: /^Release/ }).waitFor();
  await page.waitForURL((url) => !url.pathname.endsWith(review.id));
  await expect.poll(() => page.getByLabel('Reason').inputValue()).toBe('As ordered.');
  await page.getByText(review.case.reference).first().waitFor();
  await line.waitFor({ state: 'detached' });
  await screenshot(page, 'undo-given-back');
  await page.getByRole('button', { name: /^Release/ }).click();
  await context.close();
});

test('a key that follows at once does not approve the next document', async () => {
  const review = await waitingReview(2_120);
  await waitingReview(2_130);
  await waitingReview(2_140);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await claimReview(page, review);
  await offered(page);
  await page.keyboard.down('a');
  await page.waitForURL((url) => !url.pathname.endsWith(review.id));
  await page.getByRole('button', { name: /^Release/ }).waitFor();
  const next = page.url();
  await page.keyboard.down('a'); // still held down
  await page.keyboard.up('a');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  expect(page.url()).toBe(next);
  await page.getByRole('button', { name: /^Release/ }).click();
  await context.close();
});

test('in two windows an approval is undone once, and the other window says why not again', async () => {
  const review = await waitingReview(2_150);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await act('junior', 'claimReview', { reviewId: review.id });
  await act('junior', 'decideReview', { reviewId: review.id, decision: 'APPROVE', undoable: true });
  await openReview(page, review);
  const undo = page.getByRole('button', {
    name: new RegExp(`^Undo .*${review.case.reference}`),
  });
  await undo.waitFor();
  await act('junior', 'undoDecision', { reviewId: review.id });
  await undo.click();
  await page.getByText(/no longer counts/).waitFor();
  await screenshot(page, 'undo-refused');
  await context.close();
});

test('an approval above the limits of the process is asked for, and says that it is final', async () => {
  const large = await reviewOf(await submit('submitter', (await drawInvoice(8_100)).path));
  const { context, page } = await openPageAs('junior', { size: desktop });
  await claimReview(page, large);
  await page.keyboard.press('a');
  await page.getByRole('dialog').getByText('This cannot be undone.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Release/ }).click();
  await context.close();
});
