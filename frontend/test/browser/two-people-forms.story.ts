// Two people, or one person in two sessions, fill the same form: the second one reads what the first one did,
// loses nothing, and sends again.
import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  control,
  drawInvoice,
  drawLetter,
  expectAccessible,
  openPageAs,
  submit,
} from './environment.ts';
import { act, claimReview, openReview, reviewOf } from './reviews.ts';
import { alertOf, both } from './two.ts';
import { desktop, viewed } from './views.ts';

test('of two who set the retention period, the second reads what the first one set', async () => {
  const { one, two, close } = await both('admin', 'admin2', '/admin/controls');
  const type = async (page: Page, days: string, reason: string) => {
    await page.getByRole('textbox', { name: 'Days' }).fill(days);
    await page.getByRole('textbox', { name: 'Reason', exact: true }).last().fill(reason);
  };
  await type(two, '5000', 'The archive law');
  await type(one, '4900', 'The tax law');
  await one.getByRole('button', { name: 'Set period' }).click();
  await one.getByText('4900 days').waitFor();
  await two.getByRole('button', { name: 'Set period' }).click();
  await alertOf(two, /changed this to 4900 days/).waitFor();
  await viewed(two, 'two-people-retention');
  await expectAccessible(two, 'a period that another person has set');
  // The list shows the present period, and what was typed is still there.
  await two.getByText('4900 days').last().waitFor();
  await expect.poll(() => two.getByRole('textbox', { name: 'Days' }).inputValue()).toBe('5000');
  await two.getByRole('button', { name: 'Set period' }).click();
  await two.getByText('5000 days').waitFor();
  await close();
});

test('values that were typed for an incident stay when another person has handled it', async () => {
  await control('/tesseract/fails');
  const reference = await submit('submitter', (await drawInvoice(2_310, 'png')).path);
  await control('/tesseract/works');
  const { one, two, close } = await both('submitter', 'manager', `/cases?text=${reference}`);
  for (const page of [one, two]) await page.getByRole('link', { name: reference }).first().click();
  await two.getByRole('button', { name: 'Enter values by hand' }).click();
  await two.getByRole('textbox', { name: /^Number/ }).fill('INV-BY-HAND');
  await one.getByRole('button', { name: 'Abandon case' }).click();
  await one.getByRole('textbox', { name: 'Reason' }).fill('Sent twice.');
  await one.getByRole('button', { name: 'Abandon case' }).click();
  await one.getByText('Case abandoned').first().waitFor();
  await two.getByText('Someone else has already handled this, so nothing was sent.').waitFor();
  await two.getByText(/Status now: Abandoned/).waitFor();
  await expect
    .poll(() => two.getByRole('textbox', { name: /^Number/ }).inputValue())
    .toBe('INV-BY-HAND');
  await viewed(two, 'two-people-incident');
  await expectAccessible(two, 'an incident that another person has handled');
  await two.getByRole('button', { name: 'Choose again' }).click();
  await two.getByRole('textbox', { name: /^Number/ }).waitFor({ state: 'detached' });
  await close();
});

test('a reason for a difference stays in the form when another session has stated one', async () => {
  const { path } = await drawLetter('two-people', [
    ...['Hafen Logistik GmbH', 'Hafenstr. 1', '20457 Hamburg', 'Germany', 'INVOICE'],
    ...['Invoice number: H-2026-TWO', 'Invoice date: 2026-11-02', 'Service 1 1,000.00'],
    'Please transfer the amount below for the services of last month to the account named here.',
    ...['Total EUR 1,000.00', 'IBAN DE89370400440532013000'],
    'Thank you for your order. We are available for all your questions about this invoice.',
  ]);
  const order = [
    ...['--process', 'cross_border_remittance', '--type', 'remittance', '--country', 'DE'],
    ...['--amount', '700.00', '--currency', 'EUR', '--order-payer', 'Kunde AG'],
    ...['--order-payee', 'Hafen Logistik GmbH', '--order-account', 'DE89370400440532013000'],
    ...['--order-purpose', 'services of October', '--order-reference', 'P-TWO'],
  ];
  const review = await reviewOf(await submit('submitter', path, ...order));
  await act('manager', 'claimReview', { reviewId: review.id });
  const { one, two, close } = await both('manager', 'manager', `/reviews/${review.id}`);
  const panel = (page: Page) => page.getByRole('region', { name: 'Payment order' });
  const type = async (page: Page, text: string) => {
    await panel(page).locator('summary', { hasText: 'Explain the difference' }).click();
    await panel(page).getByLabel('Reason', { exact: true }).selectOption({ label: 'Part payment' });
    await panel(page).getByLabel('Explanation').fill(text);
  };
  const [first, second] = ['The contract names two parts.', 'The rest follows in December.'];
  await type(two, second);
  await type(one, first);
  await panel(one).getByRole('button', { name: 'Save the reason' }).click();
  await panel(one).getByText(first).first().waitFor({ state: 'attached' });
  await expect.poll(() => panel(one).getByLabel('Explanation').inputValue()).toBe('');
  // The process has confidential reviews, so the other window reads the new reason when its own is refused.
  await panel(two).getByRole('button', { name: 'Save the reason' }).click();
  await panel(two).getByText(first).first().waitFor({ state: 'attached' });
  await expect.poll(() => panel(two).getByLabel('Explanation').inputValue()).toBe(second);
  await viewed(two, 'two-people-order-reason');
  await panel(two).getByRole('button', { name: 'Save the reason' }).click();
  await expect.poll(() => panel(two).getByLabel('Explanation').inputValue()).toBe('');
  await close();
});

test('“not a duplicate” is about the values that the dialog shows, and the reason stays', async () => {
  // The same document in another file: of the same file no one can say that it is no duplicate.
  const { path } = await drawInvoice(2_660);
  const other = await reviewOf(await submit('submitter', path));
  const again = path.replace('.pdf', '-again.pdf');
  writeFileSync(again, Buffer.concat([readFileSync(path), Buffer.from('\n% exported again\n')]));
  const mine = await reviewOf(await submit('submitter2', again));
  const { context, page } = await openPageAs('junior', { size: desktop });
  await claimReview(page, mine);
  const findings = page.getByRole('region', { name: 'Findings' });
  const name = `Not a duplicate of ${other.case.reference}`;
  await findings.getByRole('button', { name }).click();
  const dialog = page.getByRole('dialog', { name });
  await dialog.getByText(`${other.case.reference} states:`).waitFor();
  await dialog.getByRole('textbox').fill('Two deliveries on one day.');
  await viewed(page, 'two-people-duplicate');
  const colleague = await openPageAs('senior', { size: desktop });
  await openReview(colleague.page, other);
  await act('senior', 'claimReview', { reviewId: other.id });
  const fields = [{ name: 'country', value: 'AT' }];
  await act('senior', 'correctFields', { reviewId: other.id, fields });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('states other values than when you compared it').waitFor();
  await expect
    .poll(() => dialog.getByRole('textbox').inputValue())
    .toBe('Two deliveries on one day.');
  await viewed(page, 'two-people-duplicate-changed');
  await expectAccessible(page, 'a duplicate whose values have changed');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await findings.getByRole('button', { name }).waitFor({ state: 'detached' });
  await colleague.context.close();
  await context.close();
});

// Last, because the other tests decide above the lower limit.
test('of two who lower a limit, the second reads the limit that applies now', async () => {
  const { one, two, close } = await both('admin', 'admin2', '/admin/authority');
  const type = async (page: Page, amount: string) => {
    await page.getByRole('button', { name: /^decide, Senior reviewer: / }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: /^Amount/ }).fill(amount);
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  const lower = (page: Page) => page.getByRole('button', { name: /^Lower now/ });
  await type(two, '700');
  await type(one, '900');
  await lower(two).waitFor();
  await lower(one).click();
  await one.getByText('Limit of Senior reviewer lowered.').waitFor();
  await lower(two).click();
  await alertOf(two, /present value is now USD 900\.00/).waitFor();
  await viewed(two, 'two-people-limit');
  await expectAccessible(two, 'a limit that another person has lowered');
  // What was typed is still there, and is compared with the present limit after one click.
  await two.getByRole('button', { name: /^Now 900\.00 USD: change from it/ }).click();
  await lower(two).click();
  await two.getByText('Limit of Senior reviewer lowered.').waitFor();
  await two.getByRole('button', { name: /^decide, Senior reviewer: .*700\.00/ }).waitFor();
  await close();
});
