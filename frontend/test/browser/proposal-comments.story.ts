// Two administrators discuss a proposal, change its text at the same time, and publish it.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, openPageAs, screenshot, sizes } from './environment.ts';
import { textEditor } from './text-editor.ts';

const editor = (page: Page) => textEditor(page, 'Process text');

async function propose(page: Page, from: string, to: string): Promise<void> {
  await editor(page).waitFor();
  await editor(page).fill((await editor(page).inputValue()).replace(from, to));
  await page.getByText(/^Valid:/).waitFor();
  await page.getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
}

test('two administrators discuss a proposal and change it at the same time', async () => {
  const [first, second] = await Promise.all([openPageAs('admin'), openPageAs('admin2')]);
  await first.page.goto('/definitions/content_review/edit');
  await propose(first.page, 'claim_within: 2h', 'claim_within: 3h');
  await first.page.getByText('No comments yet.').waitFor();
  await second.page.goto('/definitions/content_review');
  const comment = second.page.getByRole('textbox', { name: 'New comment' });
  await comment.fill('Why three hours?');
  await second.page.reload(); // an unsent comment is not lost
  await expect.poll(() => comment.inputValue()).toBe('Why three hours?');
  await second.page.getByRole('combobox', { name: 'About' }).selectOption('review');
  await second.page.getByRole('button', { name: 'Add comment' }).click();
  // The other administrator sees it without reloading.
  await first.page.getByText('Why three hours?').waitFor();
  await expect.poll(() => comment.inputValue()).toBe('');
  await first.page.getByText(/^about /).waitFor();
  await expectAccessible(first.page, 'a discussed proposal');
  await screenshot(first.page, 'proposal-comments');

  // The sums of a rehearsal are recorded, and the other administrator sees whose text they are of.
  await second.page.getByText('No rehearsal of this text is recorded.').waitFor();
  await first.page.getByText('Rehearsal', { exact: true }).first().click();
  await first.page.getByRole('button', { name: 'Rehearse' }).click();
  await first.page.getByText('This text').waitFor();
  await second.page.reload();
  await second.page.getByText('This text').click();
  await second.page.getByText(/^Asked for: the newest 1,?000 closed cases and all/).waitFor();
  await expectAccessible(second.page, 'a recorded rehearsal');
  await screenshot(second.page, 'proposal-rehearsed');

  // Both change the text; one of them is refused and keeps it.
  const pages = [first.page, second.page];
  for (const page of pages) {
    await page.getByRole('link', { name: 'Change the text' }).click();
    await editor(page).waitFor();
  }
  await propose(first.page, 'claim_within: 3h', 'claim_within: 4h');
  await first.page.getByText('About an earlier text').waitFor();
  await propose(second.page, 'claim_within: 3h', 'claim_within: 5h');
  await first.page.getByText('Another text', { exact: true }).waitFor();
  await second.page.getByText(/already withdrawn, by .* Your text was not proposed/).waitFor();
  await screenshot(second.page, 'proposal-changed-by-another');
  await second.page.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => editor(second.page).inputValue()).toContain('claim_within: 5h');

  await second.page.goto('/definitions/content_review');
  await second.page.setViewportSize(sizes.phone);
  await second.page.getByRole('button', { name: 'Publish' }).click();
  const dialog = second.page.getByRole('dialog');
  await dialog.getByText('Why three hours?').waitFor();
  await dialog
    .getByText('No rehearsal of this text is recorded. The publication says so.')
    .waitFor();
  await expectAccessible(second.page, 'unresolved comments on a phone');
  await screenshot(second.page, 'proposal-unresolved-phone');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await second.page.getByRole('button', { name: 'Resolve' }).click();
  await first.page.getByText('Resolved ·').waitFor();
  await first.page.getByRole('button', { name: 'Withdraw' }).click();
  await first.page.getByRole('dialog').getByRole('textbox').fill('Not now.');
  await first.page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await first.page.getByText('No open proposals.').waitFor();
  await first.context.close();
  await second.context.close();
}, 240_000);
