import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { drawInvoice, graphql, openPageAs, submit } from './environment.ts';
import { openReview, releaseReview } from './reviews.ts';
import { desktop, viewed } from './views.ts';

interface Waiting {
  id: string;
  case: { id: string; reference: string; amount: { amount: string } };
}

/** Submits an invoice whose submitter declares 1,200,000 USD, and returns its open review. */
async function declared(euros: number): Promise<Waiting> {
  const { path } = await drawInvoice(euros);
  const reference = await submit('submitter', path, '--amount', '1200000', '--currency', 'USD');
  const query = '{ reviews(first: 100) { nodes { id case { id reference amount { amount } } } } }';
  const { reviews } = await graphql<{ reviews: { nodes: Waiting[] } }>('manager', query);
  const found = reviews.nodes.find((one) => one.case.reference === reference);
  if (found === undefined) throw new Error(`no review of ${reference}`);
  return found;
}

const panelOf = (page: Page) => page.getByRole('region', { name: 'Different values' });
const why = 'A second reviewer has to confirm this, because the submitter declared another amount.';

test('a declared amount counts until two reviewers confirmed another one', async () => {
  const review = await declared(718);
  const senior = await openPageAs('senior', { size: desktop });
  const manager = await openPageAs('manager', { size: desktop });
  const [first, second] = [senior.page, manager.page];

  await first.goto('/queue');
  const row = first.locator('[data-review]').first();
  await row.waitFor();
  await first.getByText('at risk 1,200,000.00 USD').first().waitFor();
  await first
    .getByText(/different values: .*Total/)
    .first()
    .waitFor();
  await viewed(first, 'differences-queue');

  await openReview(first, review);
  await openReview(second, review);
  await first.getByText(/EUR · at risk 1,200,000.00 USD/).waitFor();
  const panel = panelOf(first);
  await panel.getByText('1,200,000.00 USD').waitFor();
  await panel.getByText(/^declared \(/).waitFor();
  await panel
    .getByText('The larger amount counts until a second person confirms another one.')
    .waitFor();
  const confirm = panel.getByRole('button', { name: /^Confirm Amount/ });
  await expect.poll(() => confirm.getAttribute('aria-disabled')).toBe('true');

  // The keyboard is enough: claim, go to the different values, confirm the first one.
  await first.locator('body').press('c');
  await first.getByRole('button', { name: /^Release/ }).waitFor();
  await viewed(first, 'differences-desk');
  await first.locator('body').press('v');
  await expect.poll(() => confirm.evaluate((one) => one === document.activeElement)).toBe(true);
  await first.keyboard.press('Enter');
  await panel.getByText(why).waitFor();
  await panel.getByText('Release the review so that another reviewer can confirm it.').waitFor();
  await expect.poll(() => confirm.getAttribute('aria-disabled')).toBe('true');
  await viewed(first, 'differences-second-person');

  // The other reviewer sees it without a reload.
  await panelOf(second).getByText(why).waitFor();
  await panelOf(second)
    .getByText(/^entered \(/)
    .waitFor();

  // Every value with its source and time; F2 opens the history of the focused field.
  await first.getByRole('textbox', { name: /^Total/ }).focus();
  await first.keyboard.press('F2');
  const history = first.getByRole('dialog', { name: 'History: Total' });
  await history.getByText(/^declared \(/).waitFor();
  await history.getByText(/^entered \(/).waitFor();
  await viewed(first, 'differences-history');
  await first.keyboard.press('Escape');
  await history.waitFor({ state: 'detached' });

  await releaseReview(first);
  await second.getByRole('button', { name: /^Claim/ }).click();
  await second.getByRole('button', { name: /^Release/ }).waitFor();
  await panelOf(second)
    .getByRole('button', { name: /^Confirm Amount/ })
    .click();
  await panelOf(second).waitFor({ state: 'detached' });
  await panel.waitFor({ state: 'detached' });
  await expect.poll(() => second.getByText(/at risk/).count()).toBe(0);
  await viewed(second, 'differences-confirmed');
});

test('the case page and the lists show both amounts, and the submitter sees no reviewer', async () => {
  const review = await declared(719);
  const { page } = await openPageAs('manager', { size: desktop });
  await page.goto('/cases');
  await page.getByText('at risk 1,200,000.00 USD').first().waitFor();
  await page.goto(`/cases/${review.case.id}`);
  await panelOf(page).getByText('1,200,000.00 USD').waitFor();
  await page.getByRole('button', { name: 'History: Total' }).click();
  await page
    .getByRole('dialog', { name: 'History: Total' })
    .getByText(/^declared \(/)
    .waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await viewed(page, 'differences-case');
  const own = await openPageAs('submitter', { size: desktop, locale: 'zh-CN' });
  await own.page.goto(`/cases/${review.case.id}`);
  await own.page
    .getByRole('region', { name: '不一致的值' })
    .getByText('1,200,000.00 USD')
    .waitFor();
  await viewed(own.page, 'differences-submitter-zh');
});
