import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  drawLetter,
  expectAccessible,
  graphql,
  inEveryView,
  openPageAs,
  screenshot,
  sizes,
  submit,
} from './environment.ts';

async function caseOf(reference: string): Promise<{ id: string; openReview: { id: string } }> {
  const { cases } = await graphql<{
    cases: { nodes: { id: string; reference: string; openReview: { id: string } }[] };
  }>(
    'manager',
    'query($text: String!) { cases(first: 5, filter: { text: $text }) { nodes { id reference openReview { id } } } }',
    { text: reference },
  );
  const found = cases.nodes.find((one) => one.reference === reference);
  if (found === undefined) throw new Error(`no case ${reference}`);
  return found;
}

const line = (name: string, quantity: string, price: string, amount: string) => `<cac:InvoiceLine>
  <cbc:InvoicedQuantity unitCode="C62">${quantity}</cbc:InvoicedQuantity><cbc:LineExtensionAmount>${amount}</cbc:LineExtensionAmount>
  <cac:Item><cbc:Name>${name}</cbc:Name><cac:ClassifiedTaxCategory><cbc:Percent>20</cbc:Percent></cac:ClassifiedTaxCategory></cac:Item>
  <cac:Price><cbc:PriceAmount>${price}</cbc:PriceAmount></cac:Price></cac:InvoiceLine>`;

/** An e-invoice over 100.00 net; its items are the lines. */
function writeInvoice(number: string, lines: readonly string[]): string {
  const path = join(mkdtempSync(join(tmpdir(), 'lines-')), `${number}.xml`);
  const common = 'urn:oasis:names:specification:ubl:schema:xsd:Common';
  writeFileSync(
    path,
    `<?xml version="1.0"?><Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
  xmlns:cac="${common}AggregateComponents-2" xmlns:cbc="${common}BasicComponents-2">
  <cbc:ID>${number}</cbc:ID><cbc:IssueDate>2026-10-02</cbc:IssueDate><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  <cac:AccountingSupplierParty><cac:Party><cac:PostalAddress><cac:Country><cbc:IdentificationCode>AT</cbc:IdentificationCode></cac:Country></cac:PostalAddress>
  <cac:PartyLegalEntity><cbc:RegistrationName>Beispiel und Sohn OHG</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:AccountingSupplierParty>
  <cac:TaxTotal><cbc:TaxAmount currencyID="EUR">20.00</cbc:TaxAmount></cac:TaxTotal>
  <cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount>100.00</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount>120.00</cbc:TaxInclusiveAmount></cac:LegalMonetaryTotal>
  ${lines.join('\n')}</Invoice>`,
  );
  return path;
}

test('items that do not add up are marked by a text on case and review page', async () => {
  const path = writeInvoice('LI-1', [
    line(
      'Blue widgets, galvanised, with a long name that needs several lines',
      '1000',
      '0.0525',
      '52.50',
    ),
    line('Cable', '2', '20', '47.50'),
    line('مصباح مكتب', '1', '900', '900.00'),
  ]);
  const { id, openReview } = await caseOf(await submit('submitter', path));
  await inEveryView('manager', async (page, name) => {
    for (const address of [`/cases/${id}`, `/reviews/${openReview.id}`]) {
      await page.goto(address);
      const table = page.locator('table[aria-labelledby="line-items"]');
      await table.waitFor();
      await expect.poll(() => table.locator('tbody tr').count()).toBe(3);
      const marked = table.locator('tbody tr').nth(1);
      await expect.poll(() => marked.textContent()).toMatch(/Does not add up|计算不符/);
      await expect.poll(() => table.locator('tbody tr').nth(0).textContent()).toContain('0.0525');
      await expect.poll(() => table.locator('tfoot').textContent()).toContain('1,000.00 EUR');
      await expectAccessible(page, `line items ${name}`);
      await screenshot(page, `lines-${address.startsWith('/cases') ? 'case' : 'review'}-${name}`);
    }
  });
});

test('a document without items has no empty table', async () => {
  const { path } = await drawLetter('table', [
    'Nordlicht Handels GmbH',
    'Rechnung',
    'Rechnungsnummer: T-77',
    'Rechnungsdatum: 2026-10-14',
    'Menge Bezeichnung: siehe Anlage',
    'Gesamtbetrag EUR 120,00',
  ]);
  const { id } = await caseOf(await submit('submitter', path));
  const { context, page } = await openPageAs('manager', { size: sizes.phone });
  await page.goto(`/cases/${id}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.locator('#line-items').count()).toBe(0);
  await context.close();
});
