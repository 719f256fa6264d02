import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import {
  confirmNewest,
  drawInvoice,
  expectAccessible,
  graphql,
  inEveryView,
  openPageAs,
  runCLI,
  screenshot,
  sizes,
  submit,
} from './environment.ts';

const longName = 'Freiherr von und zu der Hohen Rechnungspruefung '.repeat(7).slice(0, 300).trim();

let reference = '';

beforeAll(async () => {
  const names = ['--name', longName, '--role', 'reviewer_l1', '--queue', 'L1'];
  await runCLI('admin', 'user', 'add', 'long@test.test', ...names);
  reference = await submit('submitter', (await drawInvoice(5_000)).path);
});

const nextWeek = () => new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);

async function choose(page: Page, field: RegExp, name: string): Promise<void> {
  await page.getByRole('dialog').getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name, exact: true }).click();
}

test('at first there are no delegations and no absences', async () => {
  const { context, page } = await openPageAs('senior', { size: sizes.phone });
  await page.goto('/delegations');
  await page.getByText('No absence planned.').waitFor();
  await screenshot(page, 'delegations-empty-phone');
  await expectAccessible(page, 'delegations empty');
  await context.close();
});

test('a delegation is created, used by the delegate, recorded with both names, and ended', async () => {
  const { context, page } = await openPageAs('senior');
  await page.goto('/');
  await page.getByRole('link', { name: 'Delegations' }).click();
  await page.getByRole('button', { name: 'Add delegation' }).click();
  const dialog = page.getByRole('dialog');
  const save = dialog.getByRole('button', { name: 'Save' });
  await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true');
  await expect.poll(() => save.textContent()).toContain('Choose the delegate.');
  await choose(page, /^Delegate/, 'Amara Diallo');
  await dialog.getByLabel('Last day').fill(nextWeek());
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('On leave');
  await screenshot(page, 'delegation-dialog-desktop');
  await expectAccessible(page, 'delegation dialog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Delegation from senior to Amara Diallo saved.').waitFor();
  const line = page.getByRole('listitem').filter({ hasText: 'On leave' });
  await expect.poll(() => line.textContent()).toMatch(/Amara Diallo acts on behalf of senior/);
  await expectAccessible(page, 'delegations');
  await screenshot(page, 'delegations-desktop');

  const other = await openPageAs('aml');
  await other.page.goto('/queue');
  await other.page.getByText(reference).waitFor();
  await other.page.getByRole('combobox', { name: 'Claim as' }).selectOption('On behalf of senior');
  await screenshot(other.page, 'queue-on-behalf-desktop');
  await expectAccessible(other.page, 'queue on behalf of another reviewer');
  await other.page.getByRole('button', { name: `Claim ${reference}` }).click();
  await other.page.waitForURL('**/reviews/**');
  const name = other.page.getByRole('combobox', { name: 'Act as' });
  await expect.poll(() => name.locator('option:checked').textContent()).toBe('senior');
  // The delegate sees the page image, too.
  const picture = other.page.locator('img[src*="/pages/"]').first();
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0);
  await screenshot(other.page, 'review-on-behalf-desktop');
  await expectAccessible(other.page, 'review on behalf of another reviewer');
  await other.page.getByRole('button', { name: /^Approve/ }).click();
  await other.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await other.page.getByText('Decided by you: Approved (on behalf of senior)').waitFor();
  await other.context.close();

  const query =
    'query($t: String) { cases(filter: {text: $t}) { nodes { decisions { actor { name } onBehalfOf { name } } } } }';
  const recorded = await graphql<{ cases: { nodes: { decisions: unknown[] }[] } }>(
    'auditor',
    query,
    {
      t: reference,
    },
  );
  expect(recorded.cases.nodes[0]?.decisions).toEqual([
    { actor: { name: 'Amara Diallo' }, onBehalfOf: { name: 'senior' } },
  ]);
  const auditor = await openPageAs('auditor');
  await auditor.page.goto('/cases');
  await auditor.page.getByRole('link', { name: reference }).click();
  await auditor.page
    .getByRole('list')
    .getByText('Amara Diallo (on behalf of senior)')
    .first()
    .waitFor();
  await auditor.context.close();

  await line
    .getByRole('button', { name: /^End the delegation from senior to Amara Diallo/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
  await page.getByText('Amara Diallo no longer acts on behalf of senior.').waitFor();
  await page.getByText('You have no delegations.').waitFor();
  await context.close();
});

test('out of office is set by a reviewer, and by a manager for others', async () => {
  const own = await openPageAs('junior2');
  await own.page.goto('/delegations');
  await own.page.getByRole('button', { name: 'Set out of office' }).click();
  await choose(own.page, /Substitute/, 'junior');
  await own.page.getByRole('dialog').getByLabel('Last day').fill(nextWeek());
  await own.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await own.page.getByText('substitute: junior').waitFor();
  await own.context.close();

  const { context, page } = await openPageAs('manager');
  await page.goto('/delegations');
  await page.getByRole('listitem').filter({ hasText: 'Jun Park' }).waitFor();
  await page.getByRole('button', { name: 'Set out of office for someone else' }).click();
  await choose(page, /Person/, longName);
  await page.getByRole('dialog').getByLabel('Last day').fill(nextWeek());
  await expectAccessible(page, 'out-of-office dialog');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText(/^Out of office of .* saved\./).waitFor();
  await page.getByRole('button', { name: 'End the absence of Jun Park' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
  await page.getByText('Reviews can be assigned to Jun Park again.').waitFor();
  await context.close();
});

test('an administrator creates a delegation between two other people', async () => {
  const large = await submit('submitter2', (await drawInvoice(1_500_000)).path);
  const { context, page } = await openPageAs('admin');
  await page.goto('/delegations');
  await page.getByRole('button', { name: 'Add delegation for someone else' }).click();
  await choose(page, /Delegator/, 'senior');
  await choose(page, /^Delegate/, longName);
  await page.getByRole('dialog').getByLabel('Last day').fill(nextWeek());
  await screenshot(page, 'delegation-for-others-desktop');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('The delegation was proposed.').waitFor();
  await confirmNewest();
  await page.reload();
  await page
    .getByRole('listitem')
    .filter({ hasText: longName.slice(0, 40) })
    .first()
    .waitFor();
  expect(large).not.toBe('');
  await context.close();
});

test('delegations are accessible in every view', async () => {
  await inEveryView('admin', async (page, name) => {
    await page.goto('/delegations');
    await page.getByRole('listitem').filter({ hasText: 'Freiherr' }).first().waitFor();
    await screenshot(page, `delegations-${name}`);
    await expectAccessible(page, `delegations ${name}`);
  });
});
