import { readFileSync, writeFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { drawInvoice, graphql, openPageAs, sizes, submit, type Username } from './environment.ts';
import { act } from './reviews.ts';
import { desktop, viewed } from './views.ts';

interface Found {
  id: string;
  openReview: { id: string } | null;
  listedCases: { reference: string; clearable: boolean; case: { reference: string } | null }[];
}

/** The case as the user sees it. */
async function caseOf(reference: string, as: Username = 'manager'): Promise<Found> {
  const query = `query($text: String!) { cases(first: 5, filter: {text: $text}) { nodes {
    id reference openReview { id } listedCases { reference clearable case { reference } } } } }`;
  const { cases } = await graphql<{ cases: { nodes: (Found & { reference: string })[] } }>(
    as,
    query,
    { text: reference },
  );
  const found = cases.nodes.find((one) => one.reference === reference);
  if (!found) throw new Error(`no case ${reference}`);
  return found;
}

async function openReview(page: Page, reference: string): Promise<void> {
  const { openReview: review } = await caseOf(reference);
  if (!review) throw new Error(`no review of ${reference}`);
  await page.goto(`/reviews/${review.id}`);
  await page.getByRole('heading', { name: 'Fields', exact: true }).waitFor();
}

async function reject(as: Username, reference: string, reason: string): Promise<void> {
  const reviewId = (await caseOf(reference)).openReview?.id;
  await act(as, 'claimReview', { reviewId });
  await act(as, 'decideReview', { reviewId, decision: 'REJECT', reason });
}

const findingsOf = (page: Page) => page.getByRole('region', { name: 'Findings' });

test('a reviewer states that a document is no duplicate, and the history keeps the reason', async () => {
  const { path } = await drawInvoice(2_640);
  const first = await submit('submitter', path);
  // The same document in another file: no one can say of the same file that it is no duplicate.
  const again = path.replace('.pdf', '-again.pdf');
  writeFileSync(again, Buffer.concat([readFileSync(path), Buffer.from('\n% exported again\n')]));
  const second = await submit('submitter2', again);
  // The later case has the finding that needs a reason, and the earlier one says that its document was submitted
  // again; submitters see nothing of the other case.
  await expect
    .poll(async () => (await caseOf(first)).listedCases, { timeout: 30_000 })
    .toEqual([{ reference: second, clearable: false, case: { reference: second } }]);
  expect((await caseOf(second, 'submitter2')).listedCases).toEqual([]);
  expect((await caseOf(second)).listedCases).toEqual([
    { reference: first, clearable: true, case: { reference: first } },
  ]);

  const { context, page } = await openPageAs('junior', { size: desktop });
  await openReview(page, second);
  const findings = findingsOf(page);
  await findings.getByRole('link', { name: first }).waitFor();
  const distinct = findings.getByRole('button', { name: `Not a duplicate of ${first}` });
  await expect.poll(() => distinct.count()).toBe(0); // only who holds the review may state it
  await page.getByRole('button', { name: /^Claim/ }).click();
  await distinct.waitFor();
  await viewed(page, 'duplicates-finding');
  await distinct.click();
  const dialog = page.getByRole('dialog', { name: `Not a duplicate of ${first}` });
  const save = dialog.getByRole('button', { name: 'Save' });
  await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true'); // without a reason
  await dialog.getByRole('textbox').fill('A part delivery of the same order.');
  await viewed(page, 'duplicates-dialog');
  await save.click();
  await findings.getByRole('link', { name: first }).waitFor({ state: 'detached' });
  await expect.poll(() => distinct.count()).toBe(0);
  await page.getByRole('button', { name: /^Release/ }).waitFor(); // the review stays with me
  await viewed(page, 'duplicates-cleared');
  await expect.poll(async () => (await caseOf(first)).listedCases, { timeout: 30_000 }).toEqual([]);

  await page.goto(`/cases/${(await caseOf(second)).id}`);
  await page.getByText('Not a duplicate: A part delivery of the same order.').first().waitFor();
  await viewed(page, 'duplicates-case');
  await context.close();
});

test('a document that was rejected before shows the reference and the reason', async () => {
  const { path } = await drawInvoice(2_740);
  const first = await submit('submitter', path);
  await reject('senior', first, 'Not ordered.');
  const second = await submit('submitter2', path);
  // Another reviewer may not read a decided case: the finding names it without a link, with the reason.
  expect((await caseOf(second, 'junior')).listedCases).toEqual([
    { reference: first, clearable: false, case: null },
  ]);
  const other = await openPageAs('junior', { size: desktop });
  await openReview(other.page, second);
  await findingsOf(other.page).getByText('Rejected or withdrawn before', { exact: true }).waitFor();
  await findingsOf(other.page).getByText(first).first().waitFor();
  await findingsOf(other.page).getByText('Not ordered.').waitFor();
  await expect.poll(() => other.page.getByRole('link', { name: first }).count()).toBe(0);
  await viewed(other.page, 'duplicates-rejected-no-link');
  await other.context.close();

  const { context, page } = await openPageAs('manager', { size: desktop });
  await openReview(page, second);
  const findings = findingsOf(page);
  await findings.getByText('Not ordered.').waitFor();
  await findings.getByRole('link', { name: first }).waitFor();
  await page.getByRole('button', { name: /^Claim/ }).click();
  await page.getByRole('button', { name: /^Release/ }).waitFor();
  await expect
    .poll(() => findings.getByRole('button', { name: /^Not a duplicate/ }).count())
    .toBe(0);
  await viewed(page, 'duplicates-rejected');
  await findings.getByRole('link', { name: first }).click();
  await page.getByRole('heading', { level: 1, name: first }).waitFor();
  await page.getByText('Not ordered.').first().waitFor();
  await context.close();
});

test('who decides a duplicate compares it with a case that they may not open', async () => {
  const { path } = await drawInvoice(2_680);
  const first = await submit('submitter', path);
  await reject('senior', first, 'Not ordered.');
  const second = await submit('submitter2', path);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await openReview(page, second);
  const compare = findingsOf(page).getByRole('button', { name: `Compare with ${first}` });
  await compare.click();
  const dialog = page.getByRole('dialog', { name: `${second} beside ${first}` });
  await dialog.getByText(`Claim this review to compare it with ${first}.`).waitFor();
  await viewed(page, 'duplicates-compare-unclaimed');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Claim/ }).click();
  await page.getByRole('button', { name: /^Release/ }).waitFor();
  const reviewId = (await caseOf(second)).openReview?.id;
  const fields = [{ name: 'number', value: 'ANOTHER-2' }];
  await act('junior', 'correctFields', { reviewId, fields });
  await compare.click();
  await dialog.getByRole('row', { name: /Number.*different.*ANOTHER-2/ }).waitFor();
  await dialog.getByText(/decided by/).waitFor();
  const images = dialog.locator('[data-page] img');
  await expect.poll(() => images.count()).toBe(2);
  const loaded = () =>
    images.evaluateAll((all) => all.every((one) => (one as HTMLImageElement).naturalWidth > 0));
  await expect.poll(loaded).toBe(true);
  await expect.poll(() => dialog.locator('tr[data-different]').count()).toBe(1);
  await expect.poll(() => dialog.getByRole('link', { name: first }).count()).toBe(0);
  await viewed(page, 'duplicates-compare');
  await page.setViewportSize(sizes.phone);
  await viewed(page, 'duplicates-compare-phone');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await context.close();
});

test('references in findings and reasons are links on the desk, the case and the audit', async () => {
  const { path } = await drawInvoice(2_660);
  const first = await submit('submitter', path);
  const second = await submit('submitter2', path);
  const { id, openReview: review } = await caseOf(second);
  await act('junior', 'claimReview', { reviewId: review?.id });
  const reason = `The same as ${first}`;
  await act('junior', 'decideReview', { reviewId: review?.id, decision: 'REJECT', reason });
  const { context, page } = await openPageAs('manager', { size: desktop });
  const link = (place: Locator) => place.getByRole('link', { name: first }).first();
  await page.goto(`/reviews/${review?.id}`);
  await expect.poll(() => link(findingsOf(page)).getAttribute('href')).toBe(`/cases/${first}`);
  await page.goto(`/cases/${second}`);
  await link(findingsOf(page)).waitFor();
  await link(page.getByRole('region', { name: 'Timeline' })).waitFor();
  await page.goto(`/audit/${id}`);
  await link(page.getByRole('list', { name: 'Audit log' })).click();
  await page.getByRole('heading', { level: 1, name: first }).waitFor();
  await context.close();
});
