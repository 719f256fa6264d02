import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import {
  drawInvoice,
  expectAccessible,
  graphql,
  inEveryView,
  openPageAs,
  screenshot,
  submit,
} from './environment.ts';
import { act, publishProcess, reviewOf, waiting } from './reviews.ts';
import { desktop } from './views.ts';

// On a busy machine, the steps until the undo may take longer than the 30 seconds of the built-in process.
beforeAll(() =>
  publishProcess('document_approval', (document) => document.replace('undo: 30s', 'undo: 60s')),
);

const vendor = 'Selection Gamma GmbH';
const statusOf = async (reference: string) => {
  const { cases } = await graphql<{ cases: { nodes: { status: string }[] } }>(
    'auditor',
    'query($t: String) { cases(filter: {text: $t}) { nodes { status } } }',
    { t: reference },
  );
  return cases.nodes[0]?.status;
};

test('cases are selected, claimed, approved, reassigned and exported together', async () => {
  const small = await waiting(1_210, vendor);
  const large = await waiting(61_000, vendor);
  const taken = await waiting(1_220, vendor);
  await act('junior', 'claimReview', { reviewId: (await reviewOf(taken)).id });
  const { context, page } = await openPageAs('manager', { size: desktop });
  await page.goto(`/cases?counterparty=${encodeURIComponent(vendor)}`);
  const choice = (reference: string) =>
    page.getByRole('checkbox', { name: `Select ${reference}` }).filter({ visible: true });
  await choice(small).waitFor();
  // By the keyboard: j to the first row, x, and Shift with an arrow.
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('3 selected').waitFor();
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await page.getByRole('button', { name: 'Select all matching' }).click();
  await page.getByText('All 3 matching cases are selected.').waitFor();
  await page.getByRole('button', { name: 'Reassign 3' }).waitFor();
  await page.getByRole('button', { name: 'Claim 2' }).waitFor();
  await page.getByRole('button', { name: 'Why not all of them?' }).click();
  await page
    .getByRole('region', { name: 'Claim leaves out' })
    .getByRole('link', { name: taken })
    .waitFor();
  await expectAccessible(page, 'selected cases');
  await screenshot(page, 'cases-selected-desktop');
  await page.getByRole('button', { name: 'Why not all of them?' }).click();

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export 3' }).click();
  await page.getByRole('menuitem', { name: 'JSON' }).click();
  const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
  const records = lines.map((line) => JSON.parse(line) as { kind: string; reference?: string });
  expect(records.map(({ kind }) => kind)).toEqual(['case', 'case', 'case', 'end']);
  expect(new Set(records.flatMap(({ reference }) => reference ?? []))).toEqual(
    new Set([small, large, taken]),
  );
  await page.getByText('3 cases exported.').waitFor();

  await page.getByRole('button', { name: 'Approve 1' }).click();
  await page.getByRole('dialog').getByText('2 selected cases are left out').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve 1' }).click();
  const results = page.getByRole('region', { name: 'Results' });
  await results.getByText('1 of 1 completed').waitFor();
  await results.getByText('Approved', { exact: false }).first().waitFor();
  await screenshot(page, 'cases-approved-desktop');
  await results.getByRole('button', { name: `Undo the approval of ${small}` }).waitFor();
  await page.getByText('2 selected').waitFor();
  // Another filter clears the selection; the results and their undo stay.
  await page.getByLabel('Status').selectOption({ index: 1 });
  await page.getByText('2 selected').waitFor({ state: 'detached' });
  await results.getByRole('button', { name: `Undo the approval of ${small}` }).waitFor();
  await page.getByLabel('Status').selectOption({ index: 0 });
  for (const reference of [large, taken]) await choice(reference).check();
  await results.getByText('1 of 1 completed').waitFor();

  await page.getByRole('button', { name: 'Reassign 2' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('on leave until Monday');
  await dialog.getByText('Least-loaded eligible reviewer').waitFor();
  await screenshot(page, 'cases-reassign-desktop');
  await dialog.getByRole('button', { name: 'Reassign 2 reviews' }).click();
  await results.getByText(/^[12] of 2 completed$/).waitFor();
  await screenshot(page, 'cases-reassigned-desktop');
  await expect.poll(() => statusOf(small)).toBe('ARCHIVED');
  await context.close();
});

test('a selection outlives further pages and changes by others, which are refused with their cause', async () => {
  const first = await waiting(1_310, 'Selection Delta GmbH');
  const second = await waiting(1_320, 'Selection Delta GmbH');
  const { context, page } = await openPageAs('senior');
  await page.goto('/cases?counterparty=Selection+Delta');
  for (const reference of [first, second])
    await page
      .getByRole('checkbox', { name: `Select ${reference}` })
      .filter({ visible: true })
      .check();
  await page.getByRole('button', { name: 'Approve 2' }).waitFor();
  // The question reads again what is possible.
  const readAgain = page.waitForResponse(
    (response) => response.url().endsWith('/graphql') && response.request().method() === 'POST',
  );
  await page.getByRole('button', { name: 'Approve 2' }).click();
  const dialog = page.getByRole('dialog');
  await readAgain;
  await dialog.getByRole('button', { name: 'Approve 2' }).waitFor();
  // A colleague claims one of them while the question is open.
  await act('junior', 'claimReview', { reviewId: (await reviewOf(second)).id });
  await dialog.getByRole('button', { name: /^Approve \d/ }).click();
  const results = page.getByRole('region', { name: 'Results' });
  await results.getByText('1 of 2 completed').waitFor();
  await results
    .getByRole('listitem')
    .filter({ hasText: second })
    .getByText('already working')
    .waitFor();
  await screenshot(page, 'cases-refused-desktop');
  await page.getByText('1 selected').waitFor();
  await expect.poll(() => statusOf(second)).toBe('IN_REVIEW');
  await context.close();
});

test('a submitter exports a selection and has no other command; every view is accessible', async () => {
  await submit('submitter', (await drawInvoice(1_410)).path);
  const { context, page } = await openPageAs('submitter');
  await page.goto('/cases');
  await page.getByRole('checkbox', { name: 'Select all shown' }).check();
  await page.getByRole('button', { name: /^Export \d+$/ }).waitFor();
  for (const name of ['Claim', 'Approve', 'Reassign'])
    await expect
      .poll(() => page.getByRole('button', { name: new RegExp(`^${name} \\d`) }).count())
      .toBe(0);
  await context.close();
  await inEveryView('manager', async (shown, name) => {
    await shown.goto('/cases');
    await shown.getByRole('checkbox').filter({ visible: true }).nth(1).check();
    await shown.locator('[class*="dock"] button').nth(2).waitFor();
    await screenshot(shown, `cases-selected-${name}`);
    await expectAccessible(shown, `cases with a selection ${name}`);
  });
});
