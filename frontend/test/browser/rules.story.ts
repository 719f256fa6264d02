import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  drawInvoice,
  expectAccessible,
  openPageAs,
  screenshot,
  sizes,
  submit,
} from './environment.ts';
import { textEditor } from './text-editor.ts';

const editor = (page: Page) => textEditor(page, 'Rule set text');

test('a rule set is changed, tried on a case, proposed, and published by a second administrator', async () => {
  const reference = await submit('submitter', (await drawInvoice(2_000)).path);
  const { context, page } = await openPageAs('admin');
  await page.goto('/rules');
  await page.getByRole('link', { name: 'Invoices' }).click();
  await page.getByText('Is the amount missing?').waitFor();
  await expectAccessible(page, 'a rule set');
  await screenshot(page, 'rules-one');
  await page.getByRole('link', { name: 'Edit' }).click();
  await editor(page).waitFor();
  const text = await editor(page).inputValue();
  await page.getByText(/^Valid:/).waitFor();
  // A condition that cannot be computed is refused with its line.
  await editor(page).fill(text.replace('!amount_known', '!amount_knwn'));
  await page.getByText(/^Not valid:/).waitFor();
  await page
    .getByText(/line \d+/)
    .first()
    .waitFor();
  await expectAccessible(page, 'a rule that does not compile');
  await screenshot(page, 'rules-fault');
  // A rule that is raised for every document with an amount.
  const asking = '  - id: amount_missing';
  const rule = `  - id: just_a_note
    title: {en: "Amount present", zh: "有金额"}
    phase: risk
    severity: info
    score: 7
    asks: {en: "Is there an amount?", zh: "有金额吗？"}
    when: >-
      amount_known
    message:
      en: "There is an amount."
      zh: "有金额。"
`;
  await editor(page).fill(text.replace(asking, rule + asking));
  await page.getByText(/^Valid:/).waitFor();
  await page.getByRole('searchbox').fill(reference);
  await page.getByRole('button', { name: `Test on ${reference}` }).click();
  await page.getByText('Amount present +7').waitFor();
  await expectAccessible(page, 'a trial');
  await screenshot(page, 'rules-trial');
  await page.setViewportSize(sizes.phone);
  const sideways = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  await expect.poll(sideways).toBeLessThanOrEqual(0);
  await page.setViewportSize(sizes.desktop);
  await page.getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('heading', { name: 'Proposals' }).waitFor();
  await expect
    .poll(() => page.getByRole('button', { name: 'Publish' }).getAttribute('aria-disabled'))
    .toBe('true');
  await screenshot(page, 'rules-proposed');
  const second = await openPageAs('admin2', { locale: 'zh-CN', colorScheme: 'dark' });
  await second.page.goto('/rules/invoice');
  await second.page.getByRole('button', { name: '发布' }).click();
  await second.page.getByRole('dialog').getByRole('button', { name: '发布' }).click();
  await second.page.getByRole('dialog').waitFor({ state: 'detached' });
  await second.page.getByText('有金额。').waitFor();
  await expectAccessible(second.page, 'a published rule set, Chinese, dark');
  await screenshot(second.page, 'rules-published-zh-dark');
  await second.context.close();
  await context.close();
});

test('a Chinese reader reads findings in Chinese', async () => {
  const reference = await submit(
    'submitter',
    (await drawInvoice(2_300, 'pdf', 'Neue Werke GmbH')).path,
  );
  const { context, page } = await openPageAs('manager', { locale: 'zh-CN' });
  await page.goto(`/cases?text=${reference}`);
  await page.getByRole('link', { name: reference }).click();
  await page.getByRole('heading', { name: '检查结果' }).waitFor();
  await page.getByRole('listitem').filter({ hasText: '提示' }).first().waitFor();
  const findings = (await page.locator('section[aria-labelledby="findings"]').textContent()) ?? '';
  expect(findings).not.toMatch(/No document from this vendor/);
  expect(findings).toMatch(/该供应商的首份单据/);
  expect(findings).not.toMatch(/First document from this vendor|new_vendor/);
  await expectAccessible(page, 'findings in Chinese');
  await screenshot(page, 'case-findings-zh');
  await context.close();
});
