import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  drawInvoice,
  expectAccessible,
  graphql,
  openPageAs,
  screenshot,
  sizes,
} from './environment.ts';

const desktop = { width: 1440, height: 900 };
/** Payee and account of the first drawn invoice. */
const payee = 'Kiefer Printing GmbH';
const account = 'DE50370400440532013023';
const grouped = /DE50 3704 0044 0532 0130 23/;

/** Checks and photographs the page on a desktop and on a phone. */
async function viewed(page: Page, name: string): Promise<void> {
  await page.mouse.move(5, 500);
  await expectAccessible(page, name);
  await screenshot(page, name);
  await page.setViewportSize(sizes.phone);
  const sideways = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  await expect.poll(sideways).toBeLessThanOrEqual(0);
  await expectAccessible(page, `${name} on a phone`);
  await screenshot(page, `${name}-phone`);
  await page.setViewportSize(desktop);
}

const panelOf = (page: Page) => page.getByRole('region', { name: 'Payment order' });

interface Listed {
  id: string;
  case: { id: string; reference: string; counterparty: string; order: object | null };
}

/** The open review of the only case with an order. */
async function reviewOfOrder(): Promise<Listed> {
  const query = `{ reviews(first: 100) { nodes { id case { id reference counterparty
    order { revision } } } } }`;
  let found: Listed | undefined;
  await expect
    .poll(
      async () => {
        const { reviews } = await graphql<{ reviews: { nodes: Listed[] } }>('manager', query);
        found = reviews.nodes.find((one) => one.case.order !== null);
        return found !== undefined;
      },
      { timeout: 60_000 },
    )
    .toBe(true);
  if (!found) throw new Error('no review of an order');
  return found;
}

async function fill(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values))
    await page.getByRole('textbox', { name: label, exact: true }).fill(value);
}

async function claimed(page: Page, review: Listed): Promise<void> {
  await page.goto(`/reviews/${review.id}`);
  await panelOf(page).waitFor();
  await page.getByRole('button', { name: /^Claim/ }).click();
  await page.getByRole('button', { name: /^Release/ }).waitFor();
}

test('an order over another amount is approved after two persons explained it', async () => {
  const { path } = await drawInvoice(1_400);
  const { page: own } = await openPageAs('submitter', { size: desktop });
  await own.goto('/intake');
  await own.getByText('Details you already know (optional)').click();
  await own
    .getByLabel('Process', { exact: true })
    .selectOption({ label: 'Cross-border remittance' });
  await own.getByRole('button', { name: 'Add a payment order' }).click();
  await own.getByText('Complete the payment order below first.').waitFor();
  await fill(own, {
    Payer: 'Kunde AG',
    'Payer’s reference': 'P-2026-001',
    Payee: payee,
    'Account (IBAN)': account.replace(/.$/, '9'),
    Amount: '600.00',
    'Currency (USD, EUR …)': 'EUR',
    'Purpose of the payment': 'first part of the invoice',
  });
  await own.getByLabel('Country of the payee').selectOption('DE');
  // What was typed outlives the page.
  await own.getByRole('link', { name: 'Cases' }).first().click();
  await own.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
  await own.goBack();
  await own.getByRole('textbox', { name: 'Payer’s reference' }).waitFor();
  expect(await own.getByRole('textbox', { name: 'Payer’s reference' }).inputValue()).toBe(
    'P-2026-001',
  );
  await own.getByLabel('Choose files or drop them here').last().setInputFiles(path);
  await own
    .getByText(/^The IBAN .* is invalid/)
    .first()
    .waitFor();
  await viewed(own, 'orders-intake-refused');
  await own.getByRole('textbox', { name: 'Account (IBAN)' }).fill(account);
  await own.getByRole('button', { name: /^Submit the file again/ }).click();

  const review = await reviewOfOrder();
  const { page: first } = await openPageAs('manager', { size: desktop });
  await first.goto('/queue');
  await first
    .getByText(/order 600\.00 EUR/)
    .first()
    .waitFor();
  await viewed(first, 'orders-queue');
  await claimed(first, review);
  const panel = panelOf(first);
  await panel.getByText(/^The document does not support this order\. It cannot/).waitFor();
  await panel.getByText(grouped).first().waitFor();
  await first.getByText('Order and document differ').waitFor();
  await panel.getByText('State a ground').first().click();
  await panel.getByLabel('Ground', { exact: true }).selectOption({ label: 'Part payment' });
  await panel.getByLabel('Explanation').fill('The contract provides for two parts.');
  await viewed(first, 'orders-desk-ground');
  await panel.getByRole('button', { name: 'State the ground' }).click();
  await panel.getByText(/but no other person has confirmed it/).waitFor();
  const confirm = panel.getByRole('button', { name: 'Confirm: Part payment' });
  expect(await confirm.getAttribute('aria-disabled')).toBe('true');
  await viewed(first, 'orders-desk-unconfirmed');
  await first.getByRole('button', { name: /^Release/ }).click();

  const { page: second } = await openPageAs('manager2', { size: desktop });
  await claimed(second, review);
  await panelOf(second).getByRole('button', { name: 'Confirm: Part payment' }).click();
  await panelOf(second)
    .getByText('Confirmed grounds explain every difference.', { exact: false })
    .waitFor();
  await viewed(second, 'orders-desk-confirmed');
  await second.goto(`/cases/${review.case.id}`);
  await panelOf(second).waitFor();
  await viewed(second, 'orders-case');
  const { page: zh } = await openPageAs('submitter', { size: desktop, locale: 'zh-CN' });
  await zh.goto(`/cases/${review.case.id}`);
  await zh.getByRole('region', { name: '付款指令' }).waitFor();
  await viewed(zh, 'orders-submitter-zh');

  await second.goto(`/reviews/${review.id}`);
  await second.getByRole('button', { name: /^Approve/ }).click();
  const dialog = second.getByRole('dialog');
  await dialog.waitFor();
  for (const reason of await dialog.getByRole('textbox').all())
    await reason.fill('compared with the contract');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await second.getByText('Decided by you: Approved').waitFor();
});
