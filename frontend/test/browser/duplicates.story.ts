import { expect, test } from 'vitest';
import {
  drawInvoice,
  expectAccessible,
  graphql,
  openPageAs,
  screenshot,
  sizes,
  submit,
} from './environment.ts';

const desktop = { width: 1440, height: 900 };

interface Found {
  cases: { nodes: { id: string; openReview: { id: string } | null }[] };
}

async function reviewOf(reference: string): Promise<{ caseId: string; reviewId: string }> {
  const query = `query($text: String!) { cases(first: 5, filter: {text: $text}) {
    nodes { id openReview { id } } } }`;
  const { cases } = await graphql<Found>('manager', query, { text: reference });
  const [found] = cases.nodes;
  if (!found?.openReview) throw new Error(`no review of ${reference}`);
  return { caseId: found.id, reviewId: found.openReview.id };
}

test('a reviewer states that a document is no duplicate, and sees why an earlier one was rejected', async () => {
  const { path } = await drawInvoice(640);
  const first = await submit('submitter', path);
  const second = await submit('submitter2', path);
  const { caseId, reviewId } = await reviewOf(second);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await page.goto(`/reviews/${reviewId}`);
  const findings = page.getByRole('region', { name: 'Findings' });
  await findings.getByRole('link', { name: first }).waitFor();
  const distinct = findings.getByRole('button', { name: `Not a duplicate of ${first}` });
  expect(await distinct.count()).toBe(0); // only who holds the review may state it
  await page.getByRole('button', { name: /^Claim/ }).click();
  await distinct.waitFor();
  await screenshot(page, 'duplicates-finding');
  await distinct.click();
  const dialog = page.getByRole('dialog', { name: `Not a duplicate of ${first}` });
  await dialog.getByRole('textbox').fill('A part delivery of the same order.');
  await expectAccessible(page, 'duplicates dialog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await distinct.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Release/ }).click();
  await page.goto(`/cases/${caseId}`);
  await page.getByText('Not a duplicate: A part delivery of the same order.').first().waitFor();

  const rejected = await reviewOf(first);
  const decide = `mutation($id: ID!) { claimReview(input: {reviewId: $id}) { userErrors { __typename } }
    decideReview(input: {reviewId: $id, decision: REJECT, reason: "Not ordered."}) {
      userErrors { __typename } } }`;
  await graphql('senior', decide, { id: rejected.reviewId });
  const third = await submit('submitter2', path);
  await page.goto(`/reviews/${(await reviewOf(third)).reviewId}`);
  await findings.getByText('Not ordered.').waitFor();
  await findings.getByRole('link', { name: first }).waitFor();
  await expectAccessible(page, 'duplicates');
  await screenshot(page, 'duplicates-rejected');
  await page.setViewportSize(sizes.phone);
  await expectAccessible(page, 'duplicates on a phone');
  await screenshot(page, 'duplicates-rejected-phone');
  await context.close();
});
