import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { drawLetter, graphql, openPageAs, submit } from './environment.ts';
import { claimReview, reviewOf } from './reviews.ts';
import { desktop, viewed } from './views.ts';

const markup = '<b id="injected">Note</b>';

/** Submits an invoice that the language model is asked about, and returns its review. */
async function parsed(number: string) {
  const { path } = await drawLetter(number, [
    'Muster Werke GmbH',
    'INVOICE',
    `Invoice number: ${number}`,
    'Invoice date: 2026-11-20',
    'Buyer: Nordkauf AG',
    'Invoice code: XK-90',
    markup,
    'Total EUR 2,000.00',
  ]);
  return reviewOf(await submit('submitter', path, '--process', 'document_approval_model'));
}

const suggestionOf = (page: Page, name: string) =>
  page.getByRole('group', { name: `${name}: suggestion, not found on the page` });

const panelOf = (page: Page) => page.getByRole('region', { name: 'Language model', exact: true });

test('the case page says what a page shows, what is a suggestion, and what left', async () => {
  const review = await parsed('M-101');
  const { page } = await openPageAs('manager', { size: desktop });
  await page.goto(`/cases/${review.case.id}`);
  const values = page.getByRole('region', { name: 'Values', exact: true });
  const code = values.getByRole('listitem').filter({ hasText: 'XK-90' });
  await code.getByText('found on the page by the language model').waitFor();
  await expect.poll(() => code.textContent()).not.toContain('%');
  await expect.poll(() => code.getByRole('group').count()).toBe(0);
  await page.getByRole('button', { name: 'History: Invoice code' }).click();
  const history = page.getByRole('dialog', { name: 'History: Invoice code' });
  await history.getByText(/^language model, found on the page/).waitFor();
  await history.getByRole('img', { name: 'Invoice code: XK-90' }).waitFor();
  await page.keyboard.press('Escape');
  await history.waitFor({ state: 'detached' });

  const suggestion = suggestionOf(page, 'Total');
  await suggestion.getByText('Suggestion, not found on the page').waitFor();
  await suggestion.getByText('987,654.32').waitFor();
  await expect.poll(() => page.getByText('987,654.32').count()).toBe(1);
  await suggestionOf(page, 'Due date').waitFor();
  await page.getByRole('button', { name: 'History: Total' }).click();
  const total = page.getByRole('dialog', { name: 'History: Total' });
  await total.getByText('suggestion only, not used').waitFor();
  await viewed(page, 'model-history');
  await page.keyboard.press('Escape');
  await total.waitFor({ state: 'detached' });

  const panel = panelOf(page);
  await expect.poll(() => panel.getByText('Prompt').count()).toBe(0);
  await panel.getByRole('button', { name: 'Show' }).click();
  await panel.getByText(/^The text of 1 page and the names of the fields were sent/).waitFor();
  await panel
    .getByText(/An image of 1 page was sent too\. The file itself was not sent\./)
    .waitFor();
  const image = panel.getByRole('list', { name: 'Images sent' }).getByRole('listitem');
  await expect
    .poll(() => image.textContent())
    .toMatch(/^Image of page 1: (PNG|JPEG), \d+ × \d+ pixels, .+ SHA-256 [0-9a-f]{64}$/);
  await panel.getByText(/^USD/).waitFor();
  const prompt = panel.getByRole('region', { name: 'Prompt' });
  await expect.poll(() => prompt.textContent()).toContain('Nordkauf AG');
  await expect.poll(() => prompt.textContent()).toContain(markup);
  await expect.poll(() => page.locator('#injected').count()).toBe(0);
  await expect
    .poll(() => panel.getByRole('region', { name: 'Answer' }).textContent())
    .toMatch(/987,?654\.32/);
  await viewed(page, 'model-case');
  await page.emulateMedia({ colorScheme: 'dark' });
  await viewed(page, 'model-case-dark');
});

test('a suggestion is entered only as a correction of the reviewer', async () => {
  const review = await parsed('M-102');
  const { page } = await openPageAs('junior', { size: desktop });
  await claimReview(page, review);
  const total = page.getByRole('textbox', { name: /^Total/ });
  await expect.poll(() => total.inputValue()).toBe('2,000.00');
  const due = page.getByRole('textbox', { name: /^Due date/ });
  await expect.poll(() => due.inputValue()).toBe('');
  await page
    .getByRole('region', { name: 'Fields', exact: true })
    .getByText(/^found on the page by the language model/)
    .first()
    .waitFor();
  await viewed(page, 'model-review');
  await page.emulateMedia({ colorScheme: 'dark' });
  await viewed(page, 'model-review-dark');

  const suggestion = suggestionOf(page, 'Due date');
  await suggestion.getByRole('button', { name: 'Enter as a correction of Due date' }).click();
  await expect.poll(() => due.inputValue()).toBe('2031-01-31');
  await page.getByRole('button', { name: /^Save 1 correction/ }).waitFor();
  await expect.poll(() => sourcesOf(review.case.id)).toEqual(['LLM']);
  await page.getByRole('button', { name: /^Save 1 correction/ }).click();
  await suggestion.waitFor({ state: 'detached' });
  await expect.poll(() => sourcesOf(review.case.id)).toEqual(['LLM', 'HUMAN']);

  await panelOf(page).getByRole('button', { name: 'Show' }).click();
  await panelOf(page).getByRole('region', { name: 'Prompt' }).waitFor();
  await viewed(page, 'model-review-panel');
});

/** The sources of everything asserted about the due date. */
async function sourcesOf(id: string): Promise<string[]> {
  const query = 'query($id: ID!) { case(id: $id) { fieldHistory(field: "due_date") { source } } }';
  const found = await graphql<{ case: { fieldHistory: { source: string }[] } }>('manager', query, {
    id,
  });
  return found.case.fieldHistory.map(({ source }) => source);
}

test('the page is in Chinese too, and closed to a person without access', async () => {
  const review = await parsed('M-103');
  const own = await openPageAs('submitter', { size: desktop, locale: 'zh-CN' });
  await own.page.goto(`/cases/${review.case.id}`);
  await own.page.getByText('建议值，页面上未找到').first().waitFor();
  const panel = own.page.getByRole('region', { name: '语言模型', exact: true });
  await panel.getByRole('button', { name: '显示' }).click();
  await panel.getByRole('region', { name: '提示词' }).waitFor();
  await viewed(own.page, 'model-case-zh');

  const other = await openPageAs('submitter2', { size: desktop });
  await other.page.goto(`/cases/${review.case.id}`);
  await other.page.getByText('Case not found').waitFor();
  await expect.poll(() => panelOf(other.page).count()).toBe(0);
  const query =
    'query($id: ID!) { case(id: $id) { modelRuns { prompt answer } suggestions { field } } }';
  const { case: found } = await graphql<{ case: unknown }>('submitter2', query, {
    id: review.case.id,
  });
  expect(found).toBeNull();
});
