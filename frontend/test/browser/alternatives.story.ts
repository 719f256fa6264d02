// The other values of a field as choices: by a click and by a key.
import { expect, test } from 'vitest';
import { drawInvoice, openPageAs, submit } from './environment.ts';
import { claimReview, reviewOf } from './reviews.ts';
import { desktop, viewed } from './views.ts';

test('the declared amount is chosen for a total that the document states otherwise', async () => {
  const { path } = await drawInvoice(7_000);
  const declared = ['--amount=7777.00', '--currency=EUR'];
  const review = await reviewOf(await submit('submitter', path, ...declared));
  const { context, page } = await openPageAs('manager', { size: desktop });
  await claimReview(page, review);
  const total = page.locator('[data-field="total"]');
  await total.focus();
  const before = await total.inputValue();
  const choices = page.getByRole('group', { name: 'Other values: Total' });
  const first = choices.getByRole('button').first();
  await first.waitFor();
  await viewed(page, 'alternatives');
  await total.focus();
  await page.keyboard.press('Alt+1');
  await expect.poll(() => total.inputValue()).not.toBe(before);
  await expect.poll(() => first.getAttribute('aria-pressed')).toBe('true');
  // It is an unsaved correction like one that is typed.
  await page.getByRole('button', { name: /^Save 1 correction/ }).waitFor();
  await page.getByRole('button', { name: 'Undo all' }).click();
  await total.focus();
  await expect.poll(() => total.inputValue()).toBe(before);
  await first.click();
  await expect.poll(() => total.inputValue()).not.toBe(before);
  await page.getByRole('button', { name: 'Undo all' }).click();
  await page.getByRole('button', { name: /^Release/ }).click();
  await context.close();
});
