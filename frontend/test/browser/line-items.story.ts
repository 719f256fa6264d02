// A reviewer changes line items in the grid by the keyboard, and takes rows from the page.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  expectAccessible,
  figure,
  graphql,
  openPageAs,
  screenshot,
  sizes,
  submit,
} from './environment.ts';
import { type PDFLine, writePDF } from './files.ts';
import { act, claimReview, reviewOf, type Waiting } from './reviews.ts';
import { desktop } from './views.ts';

const common = 'urn:oasis:names:specification:ubl:schema:xsd:Common';

/** An e-invoice over 100.00 net with the given numbers of items, of which the first two add up to it. */
function invoiceWith(number: string, count: number): string {
  const path = join(mkdtempSync(join(tmpdir(), 'items-')), `${number}.xml`);
  const lines = Array.from({ length: count }, (_, at) => {
    const amount = at === 0 ? '60.00' : at === 1 ? '40.00' : '0.00';
    return `<cac:InvoiceLine><cbc:InvoicedQuantity unitCode="C62">1</cbc:InvoicedQuantity>
      <cbc:LineExtensionAmount>${amount}</cbc:LineExtensionAmount>
      <cac:Item><cbc:Name>Widget ${at + 1}</cbc:Name></cac:Item>
      <cac:Price><cbc:PriceAmount>${amount}</cbc:PriceAmount></cac:Price></cac:InvoiceLine>`;
  });
  writeFileSync(
    path,
    `<?xml version="1.0"?><Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
  xmlns:cac="${common}AggregateComponents-2" xmlns:cbc="${common}BasicComponents-2">
  <cbc:ID>${number}</cbc:ID><cbc:IssueDate>2026-10-02</cbc:IssueDate><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  <cac:AccountingSupplierParty><cac:Party><cac:PostalAddress><cac:Country><cbc:IdentificationCode>AT</cbc:IdentificationCode></cac:Country></cac:PostalAddress>
  <cac:PartyLegalEntity><cbc:RegistrationName>Neue Beispiel ${number} OHG</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:AccountingSupplierParty>
  <cac:TaxTotal><cbc:TaxAmount currencyID="EUR">20.00</cbc:TaxAmount></cac:TaxTotal>
  <cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount>100.00</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount>120.00</cbc:TaxInclusiveAmount></cac:LegalMonetaryTotal>
  ${lines.join('\n')}</Invoice>`,
  );
  return path;
}

const grid = (page: Page) => page.getByRole('grid');
const cell = (page: Page, row: number, column: number) =>
  page.locator(`[role="grid"] tr[aria-rowindex="${row + 2}"] [role="gridcell"]`).nth(column);
const openForm = async (page: Page) => {
  await page.getByRole('button', { name: /Change the items|Enter items/ }).click();
  await page.getByRole('heading', { name: 'Line items' }).waitFor();
};

async function itemsOf(review: Waiting) {
  const { case: found } = await graphql<{
    case: {
      lineItems: {
        corrected: { by: { name: string } } | null;
        items: { description: string; amount: { amount: string } | null; source: string }[];
      };
      findings: { rule: string }[];
    };
  }>(
    'manager',
    `query($id: ID!) { case(id: $id) { findings { rule } lineItems { corrected { by { name } }
      items { description amount { amount } source } } } }`,
    { id: review.case.id },
  );
  return found;
}

test('items are changed by the keyboard, with sums, and a finding says so', async () => {
  const review = await reviewOf(await submit('submitter', invoiceWith('GRID-1', 3)));
  const { context, page } = await openPageAs('manager', { size: desktop });
  await claimReview(page, review);
  await openForm(page);
  await cell(page, 0, 0).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('5');
  await page.keyboard.press('Enter'); // a new row below
  await page.keyboard.type('1.234,5');
  await page.keyboard.press('Tab');
  await expect.poll(() => cell(page, 3, 5).textContent()).toBe('1,234.5');
  await page.getByText(/Sum of 4 items: 1,339.50 EUR/).waitFor();
  await page.getByText(/Difference from the net amount: 1,239.50/).waitFor();
  await cell(page, 3, 0).click();
  await page.keyboard.type('Freight to مصر');
  await page.keyboard.press('Escape'); // leaves the value as it was
  await expect.poll(() => cell(page, 3, 0).textContent()).toBe('');
  await page.keyboard.press('Control+Delete'); // the row again
  await page.getByText(/Sum of 3 items: 105.00 EUR/).waitFor();
  await cell(page, 2, 0).click();
  await page.keyboard.press('Enter');
  await page.keyboard.press('End');
  await page.keyboard.type(' (spare)');
  await page.keyboard.press('Tab');
  await page.keyboard.type('x');
  await page.keyboard.press('Tab');
  // The description of the button that is off.
  await page
    .getByText(/Row 3, Quantity: not a number/)
    .first()
    .waitFor({ state: 'attached' });
  await screenshot(page, 'line-items-fault');
  await expectAccessible(page, 'the form of line items');
  await cell(page, 2, 1).click();
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save the items' }).click();
  await page.getByText(/^Changed by/).waitFor();
  await page.getByText('The line items are saved.').waitFor({ state: 'attached' });
  await screenshot(page, 'line-items-saved');
  const after = await itemsOf(review);
  expect(after.lineItems.items.map(({ source }) => source)).toContain('HUMAN');
  expect(after.lineItems.items.at(-2)?.description ?? '').toContain('Widget');
  expect(after.lineItems.corrected?.by.name).toBeTruthy();
  expect(after.findings.map(({ rule }) => rule)).toContain('line_items_corrected');
  await context.close();
});

test('unsaved items survive a reload, and a change by the document afterwards', async () => {
  const review = await reviewOf(await submit('submitter', invoiceWith('GRID-2', 3)));
  const { context, page } = await openPageAs('manager', { size: desktop });
  await claimReview(page, review);
  await openForm(page);
  await cell(page, 1, 0).click();
  await page.keyboard.type('Express freight');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Add a row' }).click();
  await cell(page, 2, 0).click();
  await page.keyboard.type('A new row');
  const drafted = page.waitForResponse(
    async (response) =>
      (response.request().postData()?.includes('A new row') ?? false) && response.ok(),
  );
  await page.keyboard.press('Tab');
  await drafted;
  await page.reload();
  await page.getByRole('heading', { name: 'Line items' }).waitFor();
  await cell(page, 1, 0).getByText('Express freight').waitFor();
  await cell(page, 2, 0).getByText('A new row').waitFor();
  await cell(page, 3, 0).getByText('Widget 3').waitFor();
  // The same person changes the items elsewhere: nothing that was typed here is lost.
  await act('manager', 'correctLineItems', {
    reviewId: review.id,
    items: [
      { from: 0, kept: true },
      { description: 'Meanwhile', amount: '1.00' },
    ],
  });
  // The button that is off is described by the same.
  await page
    .getByText('The items have changed since you opened this form.')
    .filter({ visible: true })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Load the items again' }).click();
  await page.getByText('Your 2 unsaved rows are at the end.').waitFor();
  await cell(page, 1, 0).getByText('Meanwhile').waitFor();
  await cell(page, 2, 0).getByText('Express freight').waitFor();
  await cell(page, 3, 0).getByText('A new row').waitFor();
  await expectAccessible(page, 'the form with rows of a draft');
  await screenshot(page, 'line-items-apart');
  await cell(page, 3, 5).click();
  await page.keyboard.type('5');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Save the items' }).click();
  await page.getByText(/^Changed by/).waitFor();
  expect((await itemsOf(review)).lineItems.items.map(({ description }) => description)).toEqual([
    'Widget 1',
    'Meanwhile',
    'Express freight',
    'A new row',
  ]);
  await page.reload();
  await page.getByText(/^Changed by/).waitFor();
  await page.getByRole('button', { name: 'Change the items' }).waitFor();
  await context.close();
});

const letters = (rows: readonly (readonly [string, string, string, string])[]): PDFLine[] => [
  { text: 'Nordlicht Handels GmbH', x: 60, y: 780 },
  { text: 'Rechnung', x: 60, y: 750 },
  { text: 'Rechnungsnummer: DRAG-7', x: 60, y: 730 },
  { text: 'Rechnungsdatum: 2026-10-14', x: 60, y: 710 },
  ...rows.flatMap(([what, count, price, amount], at) => [
    { text: what, x: 60, y: 640 - 30 * at },
    { text: count, x: 280, y: 640 - 30 * at },
    { text: price, x: 350, y: 640 - 30 * at },
    { text: amount, x: 450, y: 640 - 30 * at },
  ]),
  { text: 'Gesamtbetrag EUR 120,00', x: 60, y: 400 },
];

test('rows are taken from the page by a drag, after a preview', async () => {
  const rows = [
    ['Schrauben verzinkt', '2', '30,00', '60,00'],
    ['Muttern', '4', '15,00', '60,00'],
  ] as const;
  const review = await reviewOf(await submit('submitter', writePDF('drag-items', [letters(rows)])));
  const { context, page } = await openPageAs('manager', { size: desktop });
  await claimReview(page, review);
  await openForm(page);
  await page.getByRole('button', { name: 'Take rows from the page' }).click();
  const image = page.locator('[data-page="1"] [data-takes] img');
  await expect
    .poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth))
    .toBeGreaterThan(300);
  const at = async (x: number, y: number) => {
    const box = await image.boundingBox();
    if (!box) throw new Error('no page');
    return { x: box.x + (box.width * x) / 595, y: box.y + (box.height * (842 - y)) / 842 };
  };
  const [from, to] = [await at(50, 665), await at(540, 595)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, to.y, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2 items in the region of page 1.').waitFor();
  await screenshot(page, 'line-items-preview');
  await expectAccessible(page, 'the preview of rows');
  await dialog.getByRole('button', { name: 'Replace all items' }).click();
  await page.getByText(/Sum of 2 items: 120.00 EUR/).waitFor();
  await page.getByText('Equals the total').waitFor();
  await expect.poll(() => cell(page, 0, 3).textContent()).toBe('30.00');
  await screenshot(page, 'line-items-taken');
  await page.getByRole('button', { name: 'Save the items' }).click();
  await page.getByText(/^Changed by/).waitFor();
  expect((await itemsOf(review)).lineItems.items.map(({ description }) => description)).toEqual([
    'Schrauben verzinkt',
    'Muttern',
  ]);
  await context.close();
});

test('5,000 items stay fast, and fit on a phone', async () => {
  const review = await reviewOf(await submit('submitter', invoiceWith('GRID-5000', 5_000)));
  const { context, page } = await openPageAs('manager', { size: desktop });
  await claimReview(page, review);
  const opened = Date.now();
  await page.getByRole('button', { name: 'Change the items' }).click();
  await cell(page, 0, 0).click();
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Description, row 1' }).waitFor();
  figure('5,000 items: button to the first input', `${Date.now() - opened} ms`);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+End');
  await expect.poll(() => grid(page).locator('tbody tr').count()).toBeLessThan(60);
  await cell(page, 4_999, 5).waitFor();
  // From a key to the frame that shows it, in the browser.
  const times = await page.evaluate(async () => {
    const all: number[] = [];
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    for (let at = 0; at < 50; at++) {
      const from = performance.now();
      const key = at % 2 === 0 ? 'ArrowUp' : '7';
      const target = document.activeElement;
      target?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      await frame();
      all.push(performance.now() - from);
      if (at % 2 === 1) {
        const input = document.activeElement;
        input?.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Enter', shiftKey: true, bubbles: true }),
        );
        await frame();
      }
    }
    return all.sort((a, b) => a - b);
  });
  figure(
    '5,000 items: key to frame',
    `median ${times[25]?.toFixed(0)} ms, p99 ${times.at(-1)?.toFixed(0)} ms`,
  );
  await page.getByRole('button', { name: 'Save the items' }).click();
  const saving = Date.now();
  await page.getByText(/^Changed by/).waitFor();
  figure('5,000 items: saved after', `${Date.now() - saving} ms`);
  await page.setViewportSize(sizes.phone);
  await page.getByRole('button', { name: 'Change the items' }).click();
  await cell(page, 0, 0).waitFor();
  const wide = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(wide).toBe(0);
  await screenshot(page, 'line-items-phone');
  await context.close();
});
