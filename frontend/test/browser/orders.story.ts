import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  drawInvoice,
  drawLetter,
  graphql,
  openPageAs,
  runCLI,
  screenshot,
  submit,
} from './environment.ts';
import { measure } from './measure.ts';
import { act, releaseReview, reviewOf } from './reviews.ts';
import { desktop, viewed } from './views.ts';

/** Payee and account of the first drawn invoice. */
const payee = 'Kiefer Printing GmbH';
const account = 'DE50370400440532013023';
const grouped = /DE50 3704 0044 0532 0130 23/;

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
    .poll(async () => {
      const { reviews } = await graphql<{ reviews: { nodes: Listed[] } }>('manager', query);
      found = reviews.nodes.find((one) => one.case.order !== null);
      return found !== undefined;
    })
    .toBe(true);
  if (!found) throw new Error('no review of an order');
  return found;
}

async function fill(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values))
    await page.getByRole('textbox', { name: label, exact: true }).fill(value);
}

async function claimed(page: Page, review: { id: string }): Promise<void> {
  await page.goto(`/reviews/${review.id}`);
  await panelOf(page).waitFor();
  await page.getByRole('button', { name: /^Claim/ }).click();
  await page.getByRole('button', { name: /^Release/ }).waitFor();
}

test('an order over another amount is approved after two persons explained it', async () => {
  const { path } = await drawInvoice(1_400);
  const { page: own } = await openPageAs('submitter', { size: desktop });
  await own.goto('/intake');
  await own
    .getByLabel('Process', { exact: true })
    .selectOption({ label: 'Cross-border remittance' });
  // The process requires an order: its form is open and cannot be removed.
  await own.getByText('This process requires an order.').waitFor();
  await expect
    .poll(() => own.getByRole('button', { name: 'Remove the payment order' }).count())
    .toBe(0);
  await own.getByText('Complete the payment order first.').waitFor();
  // A file that is chosen too early is kept until the order is complete.
  await own.getByLabel('Choose files or drop them here').last().setInputFiles(path);
  await own.getByText(/^Not sent yet: /).waitFor();
  const send = own.getByRole('button', { name: 'Send the file', exact: true });
  await expect.poll(() => send.getAttribute('aria-disabled')).toBe('true');
  await viewed(own, 'orders-intake-required');
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
  await expect
    .poll(() => own.getByRole('textbox', { name: 'Payer’s reference' }).inputValue())
    .toBe('P-2026-001');
  await send.click();
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
  await panel.getByText(/^The document does not support this order\. One person must/).waitFor();
  await panel.getByText(grouped).first().waitFor();
  await first.getByText('Order and document differ').waitFor();
  // What is paid is on the first screen, above the values of its evidence.
  await expect
    .poll(() => first.locator('[data-paid-to]').first().textContent())
    .toBe('to account DE50 3704 0044 0532 0130 23');
  const bottomOf = async (selector: string) =>
    await first
      .locator(selector)
      .first()
      .boundingBox()
      .then((box) => (box?.y ?? 0) + (box?.height ?? 9_999));
  const decision = (await first.locator('[data-decision]').boundingBox())?.y ?? 0;
  const lines = ['amount', 'payee', 'account', 'country'].map(
    (name) => `[data-order-line="${name}"]`,
  );
  for (const line of lines)
    await expect.poll(() => bottomOf(line), { message: line }).toBeLessThanOrEqual(decision);
  // So are the blocking findings, the decision and the first field to check.
  await expect.poll(async () => (await measure(first)).outside).toEqual([]);
  // An approval would be refused, so it is not offered, and its button says why.
  const approve = first.getByRole('button', { name: /^Approve/ });
  await expect.poll(() => approve.getAttribute('aria-disabled')).toBe('true');
  await approve.hover();
  await first
    .getByRole('tooltip')
    .getByText(/^The order of 600\.00 EUR differs from the document/)
    .waitFor();
  await screenshot(first, 'orders-desk-approve-stopped');
  await first.keyboard.press('a');
  await expect.poll(() => first.getByRole('dialog').count()).toBe(0);
  await panel.locator('summary', { hasText: 'Explain the difference' }).click();
  await panel.getByLabel('Reason', { exact: true }).selectOption({ label: 'Part payment' });
  await panel.getByLabel('Explanation').fill('The contract provides for two parts.');
  await viewed(first, 'orders-desk-ground');
  await panel.getByRole('button', { name: 'Save the reason' }).click();
  await panel.getByText(/Another person must confirm the reason\./).waitFor();
  const confirm = panel.getByRole('button', { name: 'Confirm: Part payment' });
  await expect.poll(() => confirm.getAttribute('aria-disabled')).toBe('true');
  await viewed(first, 'orders-desk-unconfirmed');
  await releaseReview(first);

  const { page: second } = await openPageAs('manager2', { size: desktop });
  await claimed(second, review);
  await panelOf(second).getByRole('button', { name: 'Confirm: Part payment' }).click();
  await panelOf(second)
    .getByText('Confirmed reasons explain every difference.', { exact: false })
    .waitFor();
  await expect
    .poll(() => second.getByRole('button', { name: /^Approve/ }).getAttribute('aria-disabled'))
    .toBe(null);
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
  await dialog.getByText(grouped).first().waitFor();
  await dialog.getByText('The case is then archived as approved.').waitFor();
  for (const reason of await dialog.getByRole('textbox').all())
    await reason.fill('compared with the contract');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await second.getByText('Decided by you: Approved').waitFor();
});

const other = 'GB29NWBK60161331926819';

/** The options of the command line for an order. */
const orderOptions = (reference: string, amount: string) => [
  ...['--process', 'cross_border_remittance', '--type', 'remittance', '--country', 'DE'],
  ...['--amount', amount, '--currency', 'EUR', '--order-payer', 'Kunde AG'],
  ...['--order-payee', 'Hafen Logistik GmbH', '--order-account', 'DE89370400440532013000'],
  ...['--order-purpose', 'services of October', '--order-reference', reference],
];

/** A page that states 1,000.00 EUR and an account. */
const evidence = (name: string) =>
  drawLetter(name, [
    'Hafen Logistik GmbH',
    'Hafenstr. 1',
    '20457 Hamburg',
    'Germany',
    'INVOICE',
    `Invoice number: H-2026-${name}`,
    'Invoice date: 2026-11-02',
    'Please transfer the amount below for the services of last month to the account named here.',
    'Service 1 1,000.00',
    'Total EUR 1,000.00',
    'IBAN DE89370400440532013000',
    'Thank you for your order. We are available for all your questions about this invoice.',
  ]);

test('a file without its order is refused at the command line, and the same file is sent with it', async () => {
  const { path } = await evidence('4711');
  const [process, type] = [
    ['--process', 'cross_border_remittance'],
    ['--type', 'remittance'],
  ];
  const said = await runCLI('submitter', 'submit', ...process, ...type, path);
  expect(said.code).toBe(1);
  expect(said.all).toContain('The process cross_border_remittance requires a payment order.');
  expect(said.all).toContain('Declare the payment order and submit the file again');
  const reference = await submit('submitter', path, ...orderOptions('P-CLI', '1000.00'));
  expect(reference).toMatch(/^CS-/);
});

test('a returned order is restated by its submitter and accepted by two reviewers', async () => {
  const { path } = await evidence('4822');
  const reference = await submit('submitter', path, ...orderOptions('P-2026-002', '700.00'));
  const review = await reviewOf(reference);
  await act('manager', 'claimReview', { reviewId: review.id });
  await act('manager', 'decideReview', {
    reviewId: review.id,
    decision: 'RETURN',
    reason: 'Which amount and which account are right?',
  });
  const { page: own } = await openPageAs('submitter', { size: desktop });
  await own.goto(`/cases/${review.case.id}`);
  const panel = panelOf(own);
  await panel.getByRole('button', { name: 'Restate the order' }).click();
  await viewed(own, 'orders-restate');
  const send = panel.getByRole('button', { name: 'Restate the order' });
  await expect.poll(() => send.getAttribute('aria-disabled')).toBe('true');
  await fill(own, { Amount: '1000', 'Account (IBAN)': 'GB29NWBK60161331926818' });
  await send.click();
  await panel.getByText(/^The IBAN .* is invalid/).waitFor();
  await viewed(own, 'orders-restate-refused');
  await fill(own, { 'Account (IBAN)': other });
  await send.click();
  await panel.getByText('The order was restated. Resubmit the case to continue.').waitFor();
  await viewed(own, 'orders-restated-submitter');
  await own.getByLabel('Your answer').fill('1,000.00 EUR to the account in London.');
  await own.getByRole('button', { name: 'Resubmit' }).click();
  await own.getByRole('heading', { name: 'Information requested' }).waitFor({ state: 'detached' });

  await expect
    .poll(async () => (await reviewOf(reference).catch(() => null))?.id ?? review.id, {
      timeout: 60_000,
    })
    .not.toBe(review.id);
  const again = await reviewOf(reference);
  const accept = /^Accept the restated order/;
  const { page: first } = await openPageAs('manager', { size: desktop });
  await claimed(first, again);
  await panelOf(first)
    .getByText(/^The order was restated/)
    .waitFor();
  await viewed(first, 'orders-desk-restated');
  await panelOf(first).getByRole('button', { name: accept }).click();
  await panelOf(first)
    .getByText(/^Accepted by .*\. Another account needs two reviewers\.$/)
    .waitFor();
  await viewed(first, 'orders-desk-accepted-once');
  const button = panelOf(first).getByRole('button', { name: accept });
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
  await releaseReview(first);

  const { page: second } = await openPageAs('manager2', { size: desktop });
  await claimed(second, again);
  await panelOf(second).getByRole('button', { name: accept }).click();
  await panelOf(second)
    .getByText(/^The order was restated/)
    .waitFor({ state: 'detached' });
  await viewed(second, 'orders-desk-accepted');
});
