// A rule is added and others are changed by forms, tested on earlier cases, and published by a second
// administrator who reads the changes in words.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  drawInvoice,
  expectAccessible,
  inEveryView,
  openPageAs,
  screenshot,
  submit,
} from './environment.ts';
import { textEditor } from './text-editor.ts';
import { desktop, viewed } from './views.ts';

const text = (page: Page) => textEditor(page, 'Rule set text');
const rules = (page: Page) => page.getByRole('list', { name: 'Rules', exact: true });

async function choose(page: Page, name: string): Promise<void> {
  await rules(page).getByRole('button', { name }).click();
  await page.getByRole('heading', { name: `Rule: ${name}` }).waitFor();
}

test('a rule is added by a form, tested on earlier cases, and published by a second administrator', async () => {
  const reference = await submit('submitter', (await drawInvoice(2_000)).path);
  const { context, page } = await openPageAs('admin', { size: desktop });
  await page.goto('/rules/invoice/edit');
  const before = await text(page).inputValue();
  await rules(page)
    .getByText(/\d+ found, \d+ overruled/)
    .first()
    .waitFor();
  // Points, what an approval needs, and the order change; each is undone.
  await choose(page, 'Suspiciously round amount');
  await page.getByText('The form cannot show this condition.').waitFor();
  await page.getByLabel('Points').fill('25');
  await page.getByLabel('Approval with this finding').selectOption({ label: 'Needs a reason' });
  await page.getByRole('button', { name: 'Move up' }).click();
  const moved = await text(page).inputValue();
  expect(moved).toContain('    score: 25\n    override: reason\n');
  expect(moved.length - before.length).toBe('5    override: reason\n'.length);
  for (let step = 0; step < 3; step++)
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(() => text(page).inputValue()).toBe(before);
  // A new rule with two comparisons.
  await choose(page, 'Possible split payment (small amounts)');
  await page.getByText(/Only in the text: .*sums.*adds up the amounts/).waitFor();
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByLabel('Id', { exact: true }).fill('large_abroad');
  await page.getByLabel('Name in English', { exact: true }).fill('Large amount in euros');
  await page.getByLabel('Name in Chinese', { exact: true }).fill('大额欧元');
  await page.getByLabel('Amount, USD').fill('1,500.00');
  await page.getByRole('button', { name: 'Add a comparison' }).click();
  await page.getByLabel('Relation').nth(1).selectOption({ label: 'is not' });
  await page.getByLabel('Value').fill('JPY');
  await page.getByLabel('Severity').selectOption({ label: 'Blocking' });
  await page.getByLabel('Approval with this finding').selectOption({
    label: 'Needs the reasons of two reviewers',
  });
  await page.getByLabel('Message in English').fill('The amount is large and not in yen.');
  await page.getByText(/^Valid:/).waitFor();
  await expect
    .poll(() => text(page).inputValue())
    .toContain('when: (amount_known && base_minor >= 150000) && currency != "JPY"');
  await page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  await page
    .getByRole('listitem')
    .filter({ hasText: `${reference} new finding: Large amount in euros` })
    .waitFor();
  await page.getByRole('table', { name: 'Findings by rule' }).waitFor();
  await viewed(page, 'rules-form-rehearsed');
  await page.getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('heading', { name: 'Proposals' }).waitFor();
  await context.close();
  const second = await openPageAs('admin2', { size: desktop });
  await second.page.goto('/rules/invoice');
  const changes = second.page.getByRole('list', { name: 'Changes of the rules' });
  await changes.getByText('Added: Large amount in euros (large_abroad)').waitFor();
  await changes
    .getByText('When: Amount at risk is at least 1,500.00 USD and Currency is not JPY')
    .waitFor();
  await changes.getByText('Needs the reasons of two reviewers').waitFor();
  await expect.poll(() => changes.getByRole('listitem').count()).toBe(1);
  await screenshot(second.page, 'rules-form-proposal');
  // The second administrator rehearses the proposal, and the dialog that publishes says what was found.
  await second.page.getByText('No rehearsal of this text is recorded.').waitFor();
  await second.page.getByText('Rehearsal', { exact: true }).first().click();
  await second.page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  await second.page.getByRole('table', { name: 'Findings by rule' }).first().waitFor();
  await second.page.getByText('This text', { exact: true }).waitFor();
  await expectAccessible(second.page, 'a rehearsed proposal of rules');
  await screenshot(second.page, 'rules-form-proposal-rehearsed');
  await second.page.getByRole('button', { name: 'Publish' }).click();
  const dialog = second.page.getByRole('dialog');
  await dialog.getByText(/\d+ of \d+ would have had other findings or another risk\./).waitFor();
  await screenshot(second.page, 'rules-form-publish');
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await second.page.getByText('No open proposals.').waitFor();
  await second.context.close();
  await inEveryView('admin', async (view, label) => {
    await view.goto('/rules/invoice/edit');
    await view.locator('[aria-pressed]').nth(3).click();
    await view.locator('[aria-pressed="true"]').waitFor();
    await expectAccessible(view, label);
    await screenshot(view, `rules-form-${label}`);
  });
});

test('a text that forms cannot edit says why', async () => {
  const { context, page } = await openPageAs('admin', { size: desktop });
  await page.goto('/rules/receipt/edit');
  const before = await text(page).inputValue();
  for (const [replaced, sentence] of [
    ['score: 010', 'can be read in two ways'],
    ['score: &n 10', 'uses an anchor or alias'],
    ['\tscore: 10', 'is not valid YAML'],
  ] as const) {
    await text(page).fill(before.replace('score: 10', replaced));
    await page.getByText(sentence).waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).waitFor({ state: 'hidden' });
  }
  await text(page).fill(before);
  await rules(page).waitFor();
  await context.close();
});
