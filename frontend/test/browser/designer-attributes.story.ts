// Branches by attributes of every type, made by forms, and a refused attribute at its field.
import { expect, test } from 'vitest';
import { choose, insert, leads, name, newProcess, openQueues, publish } from './designing.ts';
import { drawInvoice, expectAccessible, openPageAs, screenshot } from './environment.ts';
import { textEditor } from './text-editor.ts';
import { desktop, viewed } from './views.ts';

test('branches compare attributes of every type by forms, and amounts in their currency', async () => {
  const { context, page } = await openPageAs('admin', { size: desktop });
  await newProcess(page, 'typed_expense', 'Typed expense', '类型费用');
  const attributes = page.getByRole('region', { name: 'Attributes of the submission' });
  for (const [index, [key, type]] of (
    [
      ['cost_centre', 'text'],
      ['people', 'integer'],
      ['budget', 'money'],
      ['needed_by', 'date'],
      ['urgent', 'yes_no'],
    ] as const
  ).entries()) {
    await page.getByRole('button', { name: 'Add an attribute' }).click();
    await attributes.getByLabel('Name of the attribute').nth(index).fill(key);
    await attributes.getByLabel('Type', { exact: true }).nth(index).selectOption(type);
  }
  await attributes.getByLabel('Most characters').fill('20');
  await attributes.getByLabel('Form of the whole text').fill('[A-Z]{2}[0-9]+');
  await attributes.getByLabel('Currency of the amount').fill('HUF');
  await attributes.getByLabel('Required').nth(3).uncheck();
  await viewed(page, 'design-attribute-forms');
  await choose(page, 'Validate fields');
  await insert(page, 'Then go to', 'Either/or');
  await page.getByRole('heading', { name: 'Either/or: Which way?' }).waitFor();
  await name(page, 'Large or urgent?', '金额大或紧急？');
  await page.getByRole('button', { name: 'Add a branch' }).click();
  const text = textEditor(page, 'Process text');
  const fact = page.getByLabel('Fact');
  const attribute = page.getByLabel('Attribute', { exact: true });
  const relation = page.getByLabel('Relation');
  await fact.selectOption({ label: 'Attribute of the submission' });
  // The amount is written as people write it, in the currency of the attribute.
  await attribute.selectOption('budget');
  await page.getByLabel('Amount, HUF').fill('50,000.00');
  await expect.poll(() => text.inputValue()).toContain('when: attributes.budget >= 5000000');
  await page.locator('.react-flow').getByText('budget is at least 50,000').waitFor();
  for (const [key, relations] of [
    ['people', ['is at least', 'is below', 'is', 'is not']],
    ['needed_by', ['is on or after', 'is before', 'is before, or is not stated', 'is', 'is not']],
    ['urgent', ['is true', 'is not true']],
    ['cost_centre', ['is', 'is not', 'is one of', 'is none of']],
  ] as const) {
    await attribute.selectOption(key);
    await expect.poll(() => relation.locator('option').allTextContents()).toEqual(relations);
  }
  await attribute.selectOption('needed_by');
  await relation.selectOption({ label: 'is before' });
  await page.getByLabel('Value', { exact: true }).fill('2027-01-31');
  await expect
    .poll(() => text.inputValue())
    .toContain('(attributes.needed_by != "" && attributes.needed_by < "2027-01-31")');
  await attribute.selectOption('urgent');
  await page.getByRole('button', { name: 'Add a comparison' }).click();
  await fact.nth(1).selectOption({ label: 'Attribute of the submission' });
  await attribute.nth(1).selectOption('budget');
  await page.getByLabel('Amount, HUF').fill('50,000.00');
  await viewed(page, 'design-attribute-guards');
  await insert(page, 'Branch 1: then go to', 'Review');
  await page.getByRole('heading', { name: 'Review: Review' }).waitFor();
  await name(page, 'Urgent review', '紧急审核');
  await page.getByLabel('Queue', { exact: true }).selectOption('L2');
  await leads(page, 'When approved, go to', 'Review');
  const published = await publish(page, 'typed_expense');
  expect(published).toContain('attributes.urgent && attributes.budget >= 5000000');
  expect(published).toContain('pattern: "[A-Z]{2}[0-9]+"');
  await context.close();

  // What does not have the required form is refused at its field, and the file is sent again.
  const { context: theirs, page: submitter } = await openPageAs('submitter', { size: desktop });
  await submitter.goto('/intake');
  await submitter.getByLabel('Process', { exact: true }).selectOption('typed_expense');
  const centre = submitter.getByLabel('cost_centre');
  await centre.fill('12');
  await submitter.getByLabel('people').fill('3');
  await submitter.getByLabel('budget (HUF)').fill('60000');
  await submitter.getByLabel('urgent').selectOption('true');
  const { path } = await drawInvoice(41);
  await submitter.getByLabel('Choose files or drop them here').last().setInputFiles(path);
  await submitter.getByText('does not have the required form “[A-Z]{2}[0-9]+”.').waitFor();
  await expect.poll(() => centre.getAttribute('aria-invalid')).toBe('true');
  const again = submitter.getByRole('button', { name: /^Send again: / });
  await again.waitFor();
  await expectAccessible(submitter, 'a refused attribute');
  await screenshot(submitter, 'intake-attribute-refused');
  await centre.fill('IT7');
  await expect.poll(() => centre.getAttribute('aria-invalid')).not.toBe('true');
  await again.click();
  const opened = submitter.getByRole('link', { name: /^Open CS-/ }).first();
  await opened.waitFor({ timeout: 60_000 });
  const reference = /CS-[0-9-]+/.exec((await opened.textContent()) ?? '')?.[0] ?? '';
  await theirs.close();
  await expect.poll(() => openQueues(reference)).toEqual(['L2']);
});
