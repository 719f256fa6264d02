import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import {
  drawInvoice,
  everyView,
  expectAccessible,
  graphql,
  inEveryView,
  openPageAs,
  screenshot,
  submit,
} from './environment.ts';
import { publishProcess, waiting } from './reviews.ts';

// On a busy machine, the steps until the undo may take longer than the 30 seconds of the built-in process.
beforeAll(() =>
  publishProcess('document_approval', (document) => document.replace('undo: 30s', 'undo: 60s')),
);

test('several reviews are approved together, each with its own result, and one is undone in time', async () => {
  const first = await submit('submitter', (await drawInvoice(1_000)).path);
  const second = await submit('submitter', (await drawInvoice(1_100)).path);
  const large = await submit('submitter', (await drawInvoice(60_000)).path);
  const { context, page } = await openPageAs('senior');
  await page.goto('/queue');
  // A review that bulk approval never takes says so before it is selected.
  await page.getByRole('listitem').filter({ hasText: large }).getByText('Not in bulk').waitFor();
  await page.getByRole('button', { name: /^Select all \d+$/ }).click();
  await page.getByText(/^\d+ selected$/).waitFor();
  await expect
    .poll(() => page.getByRole('checkbox', { name: /^Select CS/, checked: false }).count())
    .toBe(0);
  await page.getByRole('button', { name: 'Clear selection' }).click();
  for (const reference of [first, second, large]) {
    await page.getByRole('checkbox', { name: `Select ${reference}` }).check();
  }
  await page.getByText('3 selected').waitFor();
  await expectAccessible(page, 'queue with chosen reviews');
  // What is left out is named with the limits before the command, and only the rest is approved.
  await page.getByRole('button', { name: 'Approve 2' }).waitFor();
  await page.getByRole('button', { name: 'Why not all of them?' }).click();
  const reasons = page.getByRole('region', { name: 'Approve leaves out' });
  await reasons.getByText('1 above the amount limit for bulk approval').waitFor();
  await reasons.getByText('Limits: risk up to 29, amount up to').waitFor();
  await reasons.getByRole('link', { name: large }).waitFor();
  await expectAccessible(page, 'why a selection is not approved as a whole');
  await page.getByRole('button', { name: 'Approve 2' }).click();
  const dialog = page.getByRole('dialog');
  await screenshot(page, 'queue-bulk-ask-desktop');
  await dialog.getByRole('button', { name: 'Approve 2' }).click();
  const results = page.getByRole('region', { name: 'Results' });
  await results.getByText('2 of 2 completed').waitFor();
  await expect
    .poll(() => results.evaluate((node) => node.getBoundingClientRect().bottom))
    .toBeLessThan((page.viewportSize()?.height ?? 0) + 1);
  const line = (reference: string) => results.getByRole('listitem').filter({ hasText: reference });
  await screenshot(page, 'queue-bulk-results-desktop');
  await line(first)
    .getByRole('button', { name: `Undo the approval of ${first}` })
    .click();
  await line(first).getByText('Approval undone').waitFor();
  await expectAccessible(page, 'results of several');
  const status = 'query($t: String) { cases(filter: {text: $t}) { nodes { status } } }';
  const of = async (reference: string) => {
    const data = await graphql<{ cases: { nodes: { status: string }[] } }>('auditor', status, {
      t: reference,
    });
    return data.cases.nodes[0]?.status;
  };
  await expect.poll(() => of(first)).toBe('IN_REVIEW');
  await expect.poll(() => of(second)).toBe('ARCHIVED');
  // What was left out stays chosen, and can be claimed.
  await page.getByText('1 selected').waitFor();
  await page.getByRole('button', { name: 'Approve 0' }).waitFor();
  await expect
    .poll(() => page.getByRole('checkbox', { name: `Select ${large}` }).isChecked())
    .toBe(true);
  await page.getByRole('button', { name: 'Claim 1' }).click();
  await results.getByText('1 of 1 completed').waitFor();
  await context.close();
});

test('a selection is accessible in dark English and light Chinese', async () => {
  const views = everyView.filter(
    ({ locale, colorScheme }) => (locale === 'en-GB') === (colorScheme === 'dark'),
  );
  const check = async (page: Page, name: string) => {
    await page.goto('/queue');
    await page.getByRole('checkbox').first().check();
    await screenshot(page, `queue-bulk-${name}`);
    await expectAccessible(page, `queue with a selection ${name}`);
  };
  await inEveryView('senior', check, views);
});

test('claimed reviews are released together', async () => {
  const references = [await waiting(2_610), await waiting(2_620)];
  const { context, page } = await openPageAs('junior');
  await page.goto('/queue');
  for (const reference of references)
    await page.getByRole('checkbox', { name: `Select ${reference}` }).check();
  await page.getByRole('button', { name: 'Claim 2' }).click();
  const results = page.getByRole('region', { name: 'Results' });
  await results.getByText('2 of 2 completed').waitFor();
  await page.getByRole('button', { name: 'Release 2' }).click();
  await results.getByText('Released').nth(1).waitFor();
  await screenshot(page, 'queue-bulk-released');
  await context.close();
});
