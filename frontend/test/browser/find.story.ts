import { expect, test } from 'vitest';
import {
  drawInvoice,
  expectAccessible,
  inEveryView,
  openPageAs,
  screenshot,
  submit,
} from './environment.ts';
import { openReview, reviewOf, waiting } from './reviews.ts';

test('a case has an address that can be read and typed; that of another person is not there', async () => {
  const reference = await submit('submitter', (await drawInvoice(2_750)).path);
  const { context, page } = await openPageAs('submitter');
  await page.goto(`/cases/${reference.toLowerCase()}`);
  await page.getByRole('heading', { level: 1, name: reference }).waitFor();
  await page.goto('/cases');
  const link = page.getByRole('link', { name: reference }).filter({ visible: true });
  await link.click();
  await page.getByRole('heading', { level: 1, name: reference }).waitFor();
  expect(page.url()).toContain(`/cases/${reference}`);
  await page.emulateMedia({ media: 'print' });
  await page.getByRole('navigation').waitFor({ state: 'hidden' });
  await expect.poll(() => page.getByRole('button').filter({ visible: true }).count()).toBe(0);
  await page.getByRole('heading', { level: 1, name: reference }).waitFor();
  await page.emulateMedia({ media: 'screen' });
  for (const absent of ['CS-2026-999999', 'nonsense']) {
    await page.goto(`/cases/${absent}`);
    await page.getByText('Case not found').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  }
  await context.close();
});

test('a review and the audit of a case have addresses that can be read and typed', async () => {
  const review = await reviewOf(await submit('submitter', (await drawInvoice(2_760)).path));
  const { reference } = review.case;
  const { context, page } = await openPageAs('senior');
  await page.goto(`/reviews/${reference.toLowerCase()}`);
  await page.getByRole('heading', { name: 'Fields', exact: true }).waitFor();
  await page.getByRole('link', { name: reference }).first().waitFor();
  await page.goto('/reviews/CS-2026-999999');
  await page.getByText('Review not found').waitFor();
  await context.close();
  // A person who may not see the reviews of the case meets the same words as for a missing one.
  const submitter = await openPageAs('submitter');
  await submitter.page.goto(`/reviews/${reference}`);
  await submitter.page.getByText('Review not found').waitFor();
  await submitter.context.close();
  const manager = await openPageAs('manager');
  await manager.page.goto(`/cases/${reference}`);
  await manager.page.getByRole('link', { name: 'Audit log' }).click();
  await manager.page.getByRole('heading', { name: `Audit of ${reference}` }).waitFor();
  expect(manager.page.url()).toContain(`/audit/${reference}`);
  await manager.context.close();
});

test('filters, order and columns of the cases are in the address', async () => {
  const small = await waiting(2_810, 'Filter Alpha GmbH');
  const large = await waiting(2_890, 'Filter Alpha GmbH');
  const other = await waiting(2_850, 'Filter Beta GmbH');
  const { context, page } = await openPageAs('manager');
  await page.goto('/cases');
  const shown = async () => {
    const all = await page.getByRole('row').allTextContents();
    return all.flatMap((text) => /CS-\d+-\d+/.exec(text)?.[0] ?? []);
  };
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('textbox', { name: 'Counterparty' }).fill('filter alpha');
  await page.getByLabel('Queue', { exact: true }).selectOption('L1');
  await page.getByLabel('Amount from').fill('1000');
  await page.getByRole('button', { name: 'Apply filters' }).click();
  await page.getByText('Enter the currency of the amounts').waitFor();
  await page.getByLabel('Currency').fill('eur');
  await page.getByRole('button', { name: 'Apply filters' }).click();
  await page.getByRole('button', { name: 'Filters (4)' }).waitFor();
  await expect.poll(shown).toEqual([large, small]);
  await page.getByLabel('Order').selectOption('amount_lowest');
  await expect.poll(shown).toEqual([small, large]);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Risk' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Last updated' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('columnheader', { name: 'Risk' }).waitFor();
  await expectAccessible(page, 'filtered cases');
  await screenshot(page, 'cases-filtered');
  await page.reload();
  await expect.poll(shown).toEqual([small, large]);
  await page.getByRole('columnheader', { name: 'Risk' }).waitFor();
  await expect.poll(() => page.getByRole('columnheader', { name: 'Last updated' }).count()).toBe(0);
  await page.getByRole('link', { name: large }).filter({ visible: true }).click();
  await page.getByRole('heading', { level: 1, name: large }).waitFor();
  await page.goBack();
  await expect.poll(shown).toEqual([small, large]);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByLabel('Order').selectOption('newest');
  await expect.poll(shown).toContain(other);
  await page.getByLabel('Order').selectOption('risk_highest');
  const risks = () =>
    page
      .getByRole('row')
      .filter({ hasText: /CS-/ })
      .evaluateAll((rows) =>
        // After the checkbox, the reference, the counterparty and the amount.
        rows.map((row) =>
          Number(/\d+/.exec(row.querySelectorAll('td')[4]?.textContent ?? '')?.[0]),
        ),
      );
  await expect
    .poll(async () => {
      const shown = await risks();
      return (
        shown.length > 2 && shown.every((risk, at) => at === 0 || risk <= (shown[at - 1] ?? 0))
      );
    })
    .toBe(true);
  await context.close();
});

test('a submitter has no filters of the review work', async () => {
  await inEveryView('submitter', async (page, name) => {
    await page.goto('/cases?counterparty=filter&minRisk=5&sort=risk_highest');
    await page.locator('#case-filters').waitFor();
    await page
      .getByRole('row')
      .or(page.locator('#content li'))
      .filter({ hasText: /CS-/, visible: true })
      .first()
      .waitFor();
    await expect
      .poll(() => page.locator('#case-filters input, #case-filters select').count())
      .toBe(9);
    await expectAccessible(page, `cases with filters ${name}`);
    await screenshot(page, `cases-filters-${name}`);
  });
});

test('the command palette opens pages and cases, and does what the page offers', async () => {
  const reference = await waiting(2_930);
  const review = await reviewOf(reference);
  const { context, page } = await openPageAs('junior');
  await page.goto('/queue');
  await page.getByRole('heading', { level: 1, name: 'My queue' }).waitFor();
  const command = async (text: string) => {
    await page.keyboard.press('Control+k');
    const input = page.getByRole('textbox', { name: 'Command palette' });
    await expect.poll(() => input.evaluate((node) => node === document.activeElement)).toBe(true);
    await page.keyboard.type(text);
  };
  await command('deleg');
  const options = page.getByRole('dialog').getByRole('button');
  await options.filter({ hasText: 'Delegations' }).waitFor();
  // A page that begins with the words is above what is found in the documents.
  await options.filter({ hasText: 'Search for “deleg”' }).waitFor();
  await expect.poll(() => options.first().textContent()).toContain('Delegations');
  await expectAccessible(page, 'command palette');
  await screenshot(page, 'palette');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await command('My queue');
  await expect.poll(() => options.filter({ hasText: 'People' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await command(reference.toLowerCase());
  await options.filter({ hasText: `Open ${reference}` }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: reference }).waitFor();
  // What the page offers by its buttons is in the palette, too.
  await page.getByRole('textbox', { name: 'New note' }).waitFor();
  await command('new note');
  await page.keyboard.press('Enter');
  await expect
    .poll(() =>
      page
        .getByRole('textbox', { name: 'New note' })
        .evaluate((node) => node === document.activeElement),
    )
    .toBe(true);

  await openReview(page, review);
  await page.getByRole('button', { name: /^Claim/ }).waitFor();
  await command('claim');
  await options
    .filter({ hasText: /^Claim/ })
    .first()
    .click();
  await page.getByRole('button', { name: /^Release/ }).waitFor();
  // In the first second after a document appears, an approval is still asked about.
  await page.getByRole('button', { name: /^Approve and next/ }).waitFor();
  await command('approve');
  await options
    .filter({ hasText: /^Approve/ })
    .first()
    .click();
  // The approval can be undone, so it is given without a question, and the next review opens.
  await page.waitForURL((url) => !url.pathname.endsWith(review.id));
  await page.getByRole('button', { name: /^Release/ }).waitFor();
  await command('release');
  await options
    .filter({ hasText: /^Release/ })
    .first()
    .click();
  await page.getByRole('button', { name: /^Claim/ }).waitFor();
  await context.close();
});
