// Running cases move to a newer version of their process, and back.
import { expect, test } from 'vitest';
import {
  confirmNewest,
  drawInvoice,
  expectAccessible,
  inEveryView,
  openPageAs,
  submit,
} from './environment.ts';
import { newestText, publish, versionOf } from './processes.ts';
import { act, reviewOf } from './reviews.ts';
import { desktop, viewed } from './views.ts';

const key = 'moved_letters';

test('two administrators move a running case to a version with another name of its review, and back', async () => {
  const { document } = await newestText('document_approval');
  const text = document.replace('key: document_approval', `key: ${key}`);
  await publish(text);
  const reference = await submit('submitter', (await drawInvoice(2_000)).path, '--process', key);
  await publish(text.replaceAll('review_l1', 'first_review'));

  const { context, page } = await openPageAs('admin');
  await page.goto(`/definitions/${key}`);
  await page.locator('[data-node]').first().waitFor(); // the list closes when the drawing moves the page
  await page.getByRole('combobox', { name: 'From version' }).click();
  await page.getByRole('listbox').getByRole('option', { name: 'Version 1' }).click();
  await page.getByText('1 running case of version 1.').waitFor();
  await page.getByText('The new version has no such step.', { exact: false }).waitFor();
  await expectAccessible(page, 'a plan with a problem');
  const mapping = page.getByRole('table', { name: 'Where cases continue' });
  await mapping.getByRole('combobox', { name: 'Review', exact: true }).click();
  await page.getByRole('listbox').getByRole('option', { name: 'Review', exact: true }).click();
  await page.getByText('The plan is sound', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Preview' }).click();
  const preview = page.getByRole('table', { name: 'Preview' });
  await preview.getByRole('link', { name: reference }).waitFor();
  await preview.getByText('review_l1 → first_review').waitFor();
  await expectAccessible(page, 'a preview');
  await page.getByRole('button', { name: 'Propose' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('new names');
  await dialog.getByRole('button', { name: 'Propose' }).click();
  await page.getByText('The migration was proposed.', { exact: false }).waitFor();
  await expect.poll(() => versionOf(reference)).toBe(1);

  // The second person reads the same preview, computed now.
  const second = await openPageAs('admin2', { size: desktop });
  await second.page.goto('/admin/controls');
  const seen = second.page.getByRole('table', { name: 'Preview' });
  await seen.getByRole('link', { name: reference }).waitFor();
  await seen.getByText('review_l1 → first_review').waitFor();
  await expect.poll(() => seen.getByText('Changed since the proposal').count()).toBe(0);
  const review = await reviewOf(reference);
  await act('manager', 'claimReview', { reviewId: review.id });
  await act('manager', 'releaseReview', { reviewId: review.id });
  await second.page.getByRole('button', { name: 'Read the preview again' }).click();
  await seen.getByText('Changed since the proposal').waitFor();
  await viewed(second.page, 'migration-second-person');
  await second.context.close();

  await confirmNewest();
  await expect.poll(() => versionOf(reference)).toBe(2);
  // The page shows the progress without being loaded again.
  await page.getByText('1 moved, 0 not moved, 0 waiting').waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await dialog.getByLabel('Reason').fill('wrong version');
  await dialog.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The undo was proposed.', { exact: false }).waitFor();
  await confirmNewest();
  await expect.poll(() => versionOf(reference)).toBe(1);
  await expect.poll(() => page.getByText('1 moved, 0 not moved, 0 waiting').count()).toBe(2);
  await page.getByText('· 1 of 1 moved back').waitFor();
  await context.close();
  await inEveryView('admin', async (shown, name) => {
    await shown.goto(`/definitions/${key}`);
    await shown.locator('#move-cases').waitFor();
    await expectAccessible(shown, name);
  });
});
