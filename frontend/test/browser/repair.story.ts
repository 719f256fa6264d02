import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { drawLetter, graphql, openPageAs, submit } from './environment.ts';
import { acceptWithoutOrder } from './reviews.ts';
import { desktop, viewed } from './views.ts';

beforeAll(acceptWithoutOrder);

interface CaseState {
  id: string;
  missing: string[];
  reviews: { id: string; queue: string; status: string }[];
}

/** Submits a payment order whose page names no country as that of the payee. */
async function orderWithoutCountry(number: string, place: string): Promise<string> {
  const { path } = await drawLetter(`order-${number}`, [
    `Acme Trading ${number}`,
    'PAYMENT ORDER',
    `Invoice number: P-2026-${number}`,
    'Invoice date: 2026-11-02',
    'Please transfer the amount below for the services of last month to the payee named above.',
    'Service 1 700.00',
    'Total USD 700.00',
    place,
    'Thank you for your support. We are available for all your questions about this order.',
  ]);
  return submit(
    'submitter',
    path,
    ...['--process', 'cross_border_remittance', '--type', 'remittance'],
    ...['--amount', '700', '--currency', 'USD'],
  );
}

async function stateOf(reference: string): Promise<CaseState> {
  const query = `query($text: String!) { cases(first: 5, filter: {text: $text}) {
    nodes { id missing reviews { id queue status } } } }`;
  const { cases } = await graphql<{ cases: { nodes: CaseState[] } }>('auditor', query, {
    text: reference,
  });
  const [found] = cases.nodes;
  if (!found) throw new Error(`no case ${reference}`);
  return found;
}

const openQueues = async (reference: string) =>
  (await stateOf(reference)).reviews
    .filter(({ status }) => status === 'OPEN')
    .map(({ queue }) => queue);

/** Opens the repair of the case from the queue, and claims it. */
async function claimRepair(page: Page, reference: string): Promise<void> {
  await page.goto('/queue');
  await page.getByRole('combobox', { name: 'Queue' }).selectOption('repair');
  const row = page.getByRole('listitem').filter({ hasText: reference });
  await row.getByText('Missing: Country').first().waitFor();
  await row.locator('[data-review]').click();
  await page.getByRole('heading', { name: 'Fields', exact: true }).waitFor();
  await page.getByRole('button', { name: /^Claim/ }).click();
  await page.getByRole('button', { name: /^Release/ }).waitFor();
}

async function endRepair(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Done/ }).click();
  const dialog = page.getByRole('dialog', { name: 'All missing values entered?' });
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Decided by you: Values entered').waitFor();
}

test('a missing country is named in the repair queue, and the order goes on to its review', async () => {
  const reference = await orderWithoutCountry('4711', 'Ship to Japan');
  const { context, page } = await openPageAs('junior', { size: desktop });
  await page.goto('/queue');
  await page.getByText('Missing: Country').first().waitFor();
  await viewed(page, 'repair-queue');
  await claimRepair(page, reference);
  await page.getByText('Missing: Country').first().waitFor();
  await page.getByRole('button', { name: 'Cannot be determined: Country' }).waitFor();
  await viewed(page, 'repair-review');
  await page.getByRole('combobox', { name: /^Country/ }).fill('Japan');
  await page.getByRole('button', { name: /^Save 1 correction/ }).click();
  await page.getByText('Missing: Country').first().waitFor({ state: 'detached' });
  // The saved country is taken over; nothing stays unsaved.
  await page.getByRole('button', { name: /^Save/ }).waitFor({ state: 'detached' });
  await expect
    .poll(() => page.getByRole('combobox', { name: /^Country/ }).inputValue())
    .toBe('Japan (JP)');
  await viewed(page, 'repair-named');
  await endRepair(page);
  await viewed(page, 'repair-ended');
  await expect.poll(() => openQueues(reference)).toEqual(['L1']);
  expect((await stateOf(reference)).missing).toEqual([]);
  await context.close();
});

test('a country with IBANs makes the account a missing value', async () => {
  const reference = await orderWithoutCountry('4733', 'Ship to Germany');
  const { context, page } = await openPageAs('junior2', { size: desktop });
  await claimRepair(page, reference);
  await page.getByRole('combobox', { name: /^Country/ }).fill('Germany');
  await page.getByRole('button', { name: /^Save 1 correction/ }).click();
  await page.getByText('Missing: IBAN').first().waitFor();
  const end = page.getByRole('button', { name: /^Done/ });
  await expect.poll(() => end.getAttribute('aria-disabled')).toBe('true');
  await end.hover();
  await page.getByRole('tooltip').getByText('Missing: IBAN').waitFor();
  await page.getByRole('button', { name: 'Cannot be determined: IBAN' }).click();
  const dialog = page.getByRole('dialog', { name: 'IBAN cannot be determined' });
  await dialog.getByRole('textbox').fill('The page names no account.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => end.getAttribute('aria-disabled')).toBe(null);
  await expect.poll(() => page.getByText('Missing: IBAN').count()).toBe(0);
  await endRepair(page);
  await expect.poll(() => openQueues(reference)).toEqual(['L1']);
  await context.close();
});

test('an order whose country cannot be determined goes to AML', async () => {
  const reference = await orderWithoutCountry('4822', 'Ship to the address that you know');
  const { context, page } = await openPageAs('junior', { size: desktop });
  await claimRepair(page, reference);
  await page.getByRole('button', { name: 'Cannot be determined: Country' }).click();
  const dialog = page.getByRole('dialog', { name: 'Country cannot be determined' });
  await dialog.getByRole('textbox').fill('The page has no address.');
  await viewed(page, 'repair-undetermined');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Missing: Country').first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'History: Country' }).click();
  const history = page.getByRole('dialog', { name: 'History: Country' });
  await history.getByText('cannot be determined: The page has no address.').waitFor();
  await viewed(page, 'repair-history');
  await page.keyboard.press('Escape');
  await history.waitFor({ state: 'detached' });
  await endRepair(page);
  await expect.poll(() => openQueues(reference)).toEqual(['AML']);
  await context.close();
});

test('the form asks for a country where the process needs one', async () => {
  const { context, page } = await openPageAs('submitter', { size: desktop });
  await page.goto('/intake');
  await page.getByText('Details you already know (optional)').click();
  const country = page.getByRole('combobox', { name: /^Country of the counterparty/ });
  await page.getByRole('combobox', { name: 'Process' }).selectOption('document_approval');
  await expect.poll(() => country.count()).toBe(0);
  await page.getByRole('combobox', { name: 'Process' }).selectOption('cross_border_remittance');
  await country.fill('Germ');
  await page.getByRole('option', { name: 'Germany' }).click();
  await viewed(page, 'repair-intake');
  await context.close();
});
