import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { drawLetter, expectAccessible, openPageAs, screenshot, submit } from './environment.ts';
import { claimReview, openReview, publishProcess, reviewOf } from './reviews.ts';
import { textEditor } from './text-editor.ts';
import { desktop, viewed } from './views.ts';

const editor = (page: Page) => textEditor(page, 'Document type text');

const text = `key: travel_report
title: {en: Travel report, zh: 差旅报告}
fields:
  - name: vendor
    label: {en: Traveller, zh: 出差人}
    required: true
  - {name: date, required: true}
  - {name: currency}
  - {name: total, required: true}
  - {name: iban}
  - {name: country}
  - name: cost_centre
    type: text
    label: {en: Cost centre, zh: 成本中心}
    required: true
    labels: [Cost centre]
    max_length: 12
  - name: occasion
    type: choice
    label: {en: Occasion, zh: 事由}
    options:
      - {value: customer, label: {en: Customer visit, zh: 拜访客户}}
      - {value: fair, label: {en: Trade fair, zh: 展会}}
  - name: advance
    type: boolean
    label: {en: Paid in advance, zh: 已预付}
`;

test('a document type is proposed, published by a second administrator, and its form is filled', async () => {
  const { context, page } = await openPageAs('admin', { size: desktop });
  await page.goto('/types');
  await page.getByRole('link', { name: 'Merchant application' }).waitFor();
  await expectAccessible(page, 'document types');
  await viewed(page, 'types-list');
  await page.getByRole('link', { name: 'Merchant application' }).click();
  await page.getByText('Register number').waitFor();
  await expectAccessible(page, 'a document type');
  await viewed(page, 'types-one');
  await page.goto('/types');
  await page.getByRole('link', { name: 'New document type' }).click();
  await editor(page).fill(text.replace('name: total,', 'name: total, type: text,'));
  await page.getByText(/^Not valid:/).waitFor();
  await page.getByText(/The built-in field has the type money/).waitFor();
  await viewed(page, 'types-fault');
  await editor(page).fill(text);
  await page.getByText(/^Valid:/).waitFor();
  await page.getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('heading', { name: 'Proposals' }).waitFor();
  await expect
    .poll(() => page.getByRole('button', { name: 'Publish' }).getAttribute('aria-disabled'))
    .toBe('true');
  const second = await openPageAs('admin2', { locale: 'zh-CN', size: desktop });
  await second.page.goto('/types/travel_report');
  await second.page.getByRole('button', { name: '发布' }).click();
  await second.page.getByRole('dialog').getByRole('button', { name: '发布' }).click();
  await second.page.getByRole('dialog').waitFor({ state: 'detached' });
  await second.page.getByText('拜访客户').waitFor();
  await viewed(second.page, 'types-published-zh');
  await second.context.close();
  await context.close();

  // A process accepts the types that it names.
  await publishProcess('document_approval', (document) =>
    document.replace('[invoice, receipt]', '[invoice, receipt, travel_report]'),
  );
  const { path } = await drawLetter('travel-report', [
    'Acme Trading GmbH',
    'TRAVEL REPORT',
    'Date: 2026-11-02',
    'Cost centre: CC-4711',
    'The travel took place as planned and was paid by the traveller named above.',
    'Total EUR 1800.00',
  ]);
  const reference = await submit('submitter', path, '--type', 'travel_report');
  const review = await reviewOf(reference);
  const junior = await openPageAs('junior', { size: desktop });
  await openReview(junior.page, review);
  await claimReview(junior.page, review);
  const names = await junior.page
    .locator('[data-field]')
    .evaluateAll((fields) => fields.map((field) => (field as HTMLElement).dataset.field));
  expect(new Set(names)).toEqual(
    new Set([
      'vendor',
      'date',
      'currency',
      'total',
      'iban',
      'country',
      'cost_centre',
      'occasion',
      'advance',
    ]),
  );
  await expect
    .poll(() => junior.page.getByRole('textbox', { name: /^Cost centre/ }).inputValue())
    .toBe('CC-4711');
  await junior.page.getByRole('textbox', { name: /^Traveller/ }).waitFor();
  await junior.page.getByRole('combobox', { name: /^Occasion/ }).selectOption('fair');
  await junior.page.getByRole('button', { name: /^Save/ }).click();
  await junior.page.getByRole('button', { name: /^Save/ }).waitFor({ state: 'detached' });
  await viewed(junior.page, 'types-review');
  await junior.page.getByRole('button', { name: /^Release/ }).click();
  await junior.context.close();
  const chinese = await openPageAs('manager', { locale: 'zh-CN', size: desktop });
  await chinese.page.goto(`/cases?text=${reference}`);
  await chinese.page.getByRole('link', { name: reference }).click();
  await chinese.page.getByText('展会').waitFor();
  await chinese.page.getByText('成本中心').first().waitFor();
  await expectAccessible(chinese.page, 'a case of a type of its own');
  await viewed(chinese.page, 'types-case-zh');
  await screenshot(chinese.page, 'types-case-zh');
  await chinese.context.close();
});
