import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  drawInvoice,
  drawLetter,
  expectAccessible,
  graphql,
  inEveryView,
  openPageAs,
  screenshot,
  sizes,
  submit,
} from './environment.ts';

const long = { timeout: 120_000 };
const box = (page: Page) => page.getByRole('combobox', { name: 'Search for cases' });

/** Waits until the index has the word for a user: the case was committed a moment ago. */
async function indexed(word: string, reference: string): Promise<void> {
  const query = 'query($query: String!) { search(query: $query) { nodes { case { reference } } } }';
  await expect
    .poll(async () => {
      type Answer = { search: { nodes: { case: { reference: string } }[] } };
      const { search } = await graphql<Answer>('submitter', query, { query: word });
      return search.nodes.map((node) => node.case.reference);
    }, long)
    .toContain(reference);
}

test('documents are found by words of a page, amount and file name, and no other submitter finds them', async () => {
  const invoice = await drawInvoice(1_732);
  const reference = await submit('submitter', invoice.path);
  const lines = ['Invoice RE-88121', '增值税发票 办公家具采购', 'Total 2 450.00 EUR'];
  const letter = await drawLetter('fapiao-88121', lines);
  const chinese = await submit('submitter', letter.path);
  await indexed('lamp', reference);
  await indexed('家具', chinese);

  const { context, page } = await openPageAs('submitter');
  await page.goto('/cases');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('/');
  await expect.poll(() => box(page).evaluate((node) => node === document.activeElement)).toBe(true);
  await page.keyboard.type('lam');
  const option = page.getByRole('option').filter({ hasText: reference });
  await option.locator('mark', { hasText: 'lamp' }).waitFor();
  // Nothing covers the list, such as the menu beside the page.
  await option.click({ trial: true, position: { x: 5, y: 5 } });
  await expectAccessible(page, 'list of the search box');
  await screenshot(page, 'search-list');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: reference }).waitFor();
  await page.locator('[data-found][data-lit]').waitFor();
  await expectAccessible(page, 'case with found words');
  await screenshot(page, 'search-case');

  for (const [words, found] of [
    ['2450.00', chinese],
    ['fapiao', chinese],
    ['家具', chinese],
    [invoice.invoice, reference],
  ] as const) {
    await box(page).fill(words);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `Results for “${words}”` }).waitFor();
    await page.getByRole('link', { name: found }).waitFor();
  }
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Results for “家具”' }).waitFor();
  await page.getByRole('link', { name: chinese }).click();
  await page.locator('[data-found]').first().waitFor();
  await screenshot(page, 'search-case-chinese');
  await context.close();

  const other = await openPageAs('submitter2', { size: sizes.phone });
  await other.page.goto('/search?q=lamp');
  await other.page.getByText('No cases found').waitFor();
  await other.page.getByRole('button', { name: 'Open search' }).click();
  await box(other.page).fill('家具');
  await other.page
    .getByRole('search', { name: 'Search for cases' })
    .getByText('No cases found')
    .waitFor();
  await expectAccessible(other.page, 'open search box on a phone');
  await screenshot(other.page, 'search-open-phone');
  await other.context.close();

  await inEveryView('submitter', async (window, name) => {
    await window.goto('/search?q=lamp');
    await window.locator('mark').first().waitFor();
    await expectAccessible(window, `results ${name}`);
    await screenshot(window, `search-results-${name}`);
  });
});

test('a typo is corrected, and a query beyond the bounds is refused with a sentence', async () => {
  const reference = await submit('submitter', (await drawInvoice(1_901)).path);
  await indexed('delivery', reference);
  const { context, page } = await openPageAs('submitter');
  await page.goto('/search?q=delivry');
  await page.getByText('No documents with “delivry”; showing “delivery”.').waitFor();
  await page.getByRole('link', { name: reference }).waitFor();
  await page.goto('/search?q=one+two+three+four+five+six+seven+eight+nine');
  await page.getByText('A search has at most 8 words.').waitFor();
  await page.goto('/search?q=%3Cimg+src%3Dx%3E+%F0%9F%A7%BE+%22%29');
  await page.getByText('No cases found').waitFor();
  await context.close();
});
