import { expect, test } from 'vitest';
import { expectAccessible, openPageAs, screenshot, sizes } from './environment.ts';
import { textEditor } from './text-editor.ts';

test('a new process starts from a template as an unsaved draft', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/definitions/new/edit');
  const editor = textEditor(page, 'Process text');
  await editor.waitFor();
  await page.getByRole('button', { name: 'Use Four eyes' }).click();
  await expect.poll(() => editor.inputValue()).toContain('key: four_eyes\n');
  await page.getByText(/^Valid:/).waitFor();
  await page.locator('[data-node="review"]').first().waitFor();
  await expectAccessible(page, 'a template');
  await screenshot(page, 'process-template');
  // A built-in definition gets another key, because its own is in use.
  await page.getByRole('button', { name: 'Use Document approval', exact: true }).click();
  await expect.poll(() => editor.inputValue()).toContain('key: document_approval_2\n');
  await page.setViewportSize(sizes.phone);
  await expectAccessible(page, 'templates on a phone');
  await screenshot(page, 'process-template-phone');
  await context.close();
});
