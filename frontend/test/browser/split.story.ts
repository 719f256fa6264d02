import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { drawUnitedInvoices, graphql, openPageAs, runCLI, submit } from './environment.ts';
import { claimReview, openReview, reviewOf } from './reviews.ts';
import { desktop, viewed } from './views.ts';

interface Part {
  reference: string;
  merged: boolean;
  pages: { first: number; last: number };
  case: { id: string; status: string } | null;
}

/** The case that was split, as its submitter sees it. */
async function splitCase(reference: string): Promise<{ id: string; parts: Part[] }> {
  const query = `query($text: String!) { cases(first: 5, filter: {text: $text}) { nodes {
    id reference parts { reference merged pages { first last } case { id status } } } } }`;
  const { cases } = await graphql<{
    cases: { nodes: { id: string; reference: string; parts: Part[] }[] };
  }>('submitter', query, { text: reference });
  const found = cases.nodes.find((one) => one.reference === reference);
  if (!found) throw new Error(`no case ${reference}`);
  return found;
}

/** Waits until the parts of the case are under review. */
async function partsInReview(reference: string, count: number): Promise<Part[]> {
  let parts: Part[] = [];
  await expect
    .poll(async () => {
      ({ parts } = await splitCase(reference));
      return parts.filter((part) => !part.merged && part.case?.status === 'IN_REVIEW').length;
    })
    .toBe(count);
  return parts;
}

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });

test('a reviewer splits a file by keyboard, and another one merges the parts again', async () => {
  const { path, invoices } = await drawUnitedInvoices(2_000, 3_000);
  const reference = await submit('submitter', path);
  const review = await reviewOf(reference);
  const { context, page } = await openPageAs('senior', { size: desktop });
  await openReview(page, review);
  await page.getByText('Several documents in one file').click();
  await page
    .getByText(/This file seems to contain 2 documents/)
    .first()
    .waitFor();
  const choose = page.getByRole('button', { name: 'Choose the pages' });
  await expect.poll(() => choose.count()).toBe(0); // only the reviewer with the claim can split
  await claimReview(page, review);
  await choose.waitFor();
  await viewed(page, 'split-finding');
  await page.getByRole('button', { name: 'Split the file' }).click(); // in the finding
  await expect.poll(() => choose.evaluate((one) => one === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  const form = dialog(page, 'Split the file');
  const send = form.getByRole('button', { name: /^Split into/ });
  const second = form.getByRole('checkbox', { name: 'A document begins with page 2' });
  await expect.poll(() => second.isChecked()).toBe(true); // what the reading found
  await second.focus();
  await page.keyboard.press('Space');
  await expect.poll(() => send.getAttribute('aria-disabled')).toBe('true'); // one part is no split
  await page.keyboard.press('Space');
  await form.getByText('2 documents, pages 1, 2').waitFor();
  await viewed(page, 'split-dialog');
  await form.getByRole('button', { name: 'Split into 2 cases' }).focus();
  await page.keyboard.press('Enter');
  const done = dialog(page, 'New cases');
  await done.getByText(/page 1$/).waitFor();
  await viewed(page, 'split-done');
  await done.getByRole('link', { name: 'Back to my queue' }).click();
  await page.waitForURL('**/queue');
  await context.close();

  const parts = await partsInReview(reference, 2);
  expect(parts.map(({ pages }) => pages)).toEqual([
    { first: 1, last: 1 },
    { first: 2, last: 2 },
  ]);
  const whole = await splitCase(reference);
  const submitter = await openPageAs('submitter', { size: desktop });
  await submitter.page.goto(`/cases/${whole.id}`);
  const [first] = parts;
  if (!first?.case) throw new Error('no part');
  await submitter.page.getByRole('link', { name: `Open ${first.reference}` }).waitFor();
  await viewed(submitter.page, 'split-parent');
  await submitter.page.getByRole('link', { name: `Open ${first.reference}` }).click();
  await submitter.page.getByText(`page 1 of the file of ${reference}`).waitFor();
  await submitter.page.getByRole('link', { name: `Open ${reference}` }).waitFor();
  await submitter.context.close();

  const other = await openPageAs('manager', { size: desktop });
  const partReview = await reviewOf(first.reference);
  await claimReview(other.page, partReview);
  await expect.poll(() => other.page.locator('#field-number').inputValue()).toBe(invoices[0]);
  await expect.poll(() => other.page.getByRole('img', { name: /Page 2/ }).count()).toBe(0);
  await viewed(other.page, 'split-part');
  await other.page.getByRole('button', { name: 'Merge the parts again' }).click();
  const merge = dialog(other.page, 'Merge the parts');
  await merge.getByRole('textbox').fill('The second page is the annex of the first.');
  await viewed(other.page, 'split-merge');
  await merge.getByRole('button', { name: 'Merge', exact: true }).click();
  await dialog(other.page, 'New cases')
    .getByText(/all pages$/)
    .waitFor();
  await other.context.close();
  await expect
    .poll(async () => (await splitCase(reference)).parts.filter(({ merged }) => merged).length)
    .toBe(1);
});

test('the command line splits the file of a claimed review', async () => {
  const { path } = await drawUnitedInvoices(2_100, 3_100, 4_100);
  const reference = await submit('submitter', path);
  await runCLI('senior', 'review', 'claim', reference);
  const refused = await runCLI('senior', 'case', 'split', reference, '--pages', '1-2');
  expect(refused.code).not.toBe(0);
  const said = await runCLI('senior', 'case', 'split', reference, '--pages', '1,2-3');
  expect(said.all).toMatch(/CS-[\d-]+\s+1\n.*CS-[\d-]+\s+2-3/s);
  const parts = await partsInReview(reference, 2);
  const shown = await runCLI('manager', 'case', 'show', parts[1]?.reference ?? '');
  expect(shown.all).toContain(`part of ${reference}, pages 2-3`);
});
