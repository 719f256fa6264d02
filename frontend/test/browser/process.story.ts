import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  control,
  drawInvoice,
  expectAccessible,
  graphql,
  openPageAs,
  runCLI,
  screenshot,
  sizes,
  submit,
  type Username,
} from './environment.ts';
import { act } from './reviews.ts';

/** The id of the case with the reference. */
async function caseOf(reference: string): Promise<string> {
  const query =
    'query($text: String!) { cases(first: 5, filter: { text: $text }) { nodes { id reference } } }';
  const { cases } = await graphql<{ cases: { nodes: { id: string }[] } }>('manager', query, {
    text: reference,
  });
  const id = cases.nodes[0]?.id;
  if (!id) throw new Error(`no case ${reference}`);
  return id;
}

/** Decides a review of the case as a person, at the given queue. */
async function decide(
  as: Username,
  caseId: string,
  verdict: 'APPROVE' | 'RETURN',
  reason = '',
): Promise<void> {
  const mine = '{ reviews(first: 100) { nodes { id case { id } } } }';
  const { reviews } = await graphql<{ reviews: { nodes: { id: string; case: { id: string } }[] } }>(
    as,
    mine,
  );
  const reviewId = reviews.nodes.find((one) => one.case.id === caseId)?.id;
  const claim =
    'mutation($i: ClaimReviewInput!) { claimReview(input: $i) { userErrors { ... on Refusal { message } } } }';
  const claimed = await graphql<{ claimReview: { userErrors: unknown[] } }>(as, claim, {
    i: { reviewId },
  });
  expect(claimed.claimReview.userErrors).toEqual([]);
  await act(as, 'decideReview', {
    reviewId,
    decision: verdict,
    ...(reason !== '' && { reason }),
  });
}

const node = (page: Page, id: string) => page.locator(`[data-node="${id}"]`);
const inState = (page: Page, id: string, state: string) =>
  page.locator(`[data-node="${id}"][data-state="${state}"]`).waitFor();

async function drawn(page: Page, caseId: string): Promise<void> {
  await page.goto(`/cases/${caseId}`);
  await page.getByRole('button', { name: 'Show process' }).click();
  await node(page, 'start').waitFor();
}

/** The picture is wider than a small window: it is shown from its top. */
async function picture(page: Page, name: string): Promise<void> {
  await page.addStyleTag({ content: '[class*="frame"] { max-height: none !important; }' });
  await screenshot(page, name);
}

test('the process of a case is drawn, and the current step advances automatically', async () => {
  await control('/worker/stop');
  const said = await runCLI('submitter', 'submit', (await drawInvoice(2_000)).path);
  const reference = /CS-[\w-]*\w/.exec(said.all)?.[0] ?? '';
  const caseId = await caseOf(reference);
  const { context, page } = await openPageAs('manager');
  await drawn(page, caseId);
  await inState(page, 'start', 'done');
  await inState(page, 'read', 'active');
  await inState(page, 'review_l1', 'idle');
  await expectAccessible(page, 'a drawn process');
  await picture(page, 'process-running');
  await control('/worker/start');
  await inState(page, 'review_l1', 'asks');
  await inState(page, 'assess', 'done');
  await page.setViewportSize(sizes.phone);
  const sideways = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  await expect.poll(sideways).toBeLessThanOrEqual(0);
  await expectAccessible(page, 'a drawn process on a phone');
  await picture(page, 'process-running-phone');
  await context.close();
});

test('parallel steps are drawn as parallel; a return leads back and is counted', async () => {
  const path = (await drawInvoice(3_000)).path;
  const reference = await submit('submitter', path, '--process', 'merchant_onboarding');
  const caseId = await caseOf(reference);
  // A process with an AML review is drawn only for those who may see that review.
  const other = await openPageAs('manager');
  await other.page.goto(`/cases/${caseId}`);
  await other.page.getByText(/Waiting for a reviewer of queue L1/).waitFor(); // their own work
  await other.page.getByRole('heading', { name: 'Findings' }).waitFor();
  await expect
    .poll(() => other.page.getByRole('main').textContent())
    .not.toMatch(/AML|Amara Diallo/);
  await expect.poll(() => other.page.getByRole('button', { name: 'Show process' }).count()).toBe(0);
  await other.context.close();
  const { context, page } = await openPageAs('aml');
  await drawn(page, caseId);
  await inState(page, 'kyc', 'asks');
  await inState(page, 'credit', 'asks');
  // Both reviews are named, each with a link.
  await page.getByText('Also open:').waitFor();
  const links = page.getByRole('status').getByRole('link', { name: /^(Open review|Queue \w+)$/ });
  await expect.poll(() => links.count()).toBe(2);
  await expectAccessible(page, 'two parallel reviews');
  await picture(page, 'process-parallel');
  await decide('aml', caseId, 'APPROVE');
  await inState(page, 'credit', 'asks');
  await expect.poll(() => node(page, 'kyc').getAttribute('data-state')).toBe('done');
  await decide('junior', caseId, 'RETURN', 'Which branch is it?');
  // After the answer the needed values are checked again.
  await inState(page, 'complete', 'asks');
  await node(page, 'complete').getByText('after the answer').waitFor();
  await picture(page, 'process-returned');
  const again =
    'mutation($i: ResubmitCaseInput!) { resubmitCase(input: $i) { userErrors { ... on Refusal { message } } } }';
  await graphql('submitter', again, { i: { caseId, comment: 'Hamburg.' } });
  await inState(page, 'kyc', 'asks');
  await node(page, 'kyc').getByText('2 times').waitFor();
  await context.close();
});

test('a step that failed permanently is red in the drawing; submitters see no drawing', async () => {
  await control('/tesseract/fails');
  const reference = await submit('submitter', (await drawInvoice(100, 'png')).path);
  await control('/tesseract/works');
  const caseId = await caseOf(reference);
  const { context, page } = await openPageAs('manager', { colorScheme: 'dark' });
  await drawn(page, caseId);
  await inState(page, 'read', 'failed');
  await expectAccessible(page, 'a drawn incident, dark');
  await picture(page, 'process-incident-dark');
  await context.close();
  const theirs = await openPageAs('submitter');
  await theirs.page.goto(`/cases/${caseId}`);
  await theirs.page.getByText('Timeline').waitFor();
  await expect
    .poll(() => theirs.page.getByRole('button', { name: 'Show process' }).count())
    .toBe(0);
  await theirs.context.close();
});
