import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPageAs, screenshot } from './environment.ts';
import { waiting } from './reviews.ts';

/** Clicks and returns the name and the text of the file that the browser saves. */
async function saved(page: Page, click: () => Promise<void>): Promise<[string, string]> {
  const download = page.waitForEvent('download');
  await click();
  const file = await download;
  return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')];
}

async function exported(page: Page, format: string): Promise<[string, string]> {
  await page.getByRole('button', { name: 'Export' }).click();
  return saved(page, () => page.getByRole('menuitem', { name: format }).click());
}

test('a reviewer saves the queue and a manager the cases as files that are complete', async () => {
  const reference = await waiting(2_000);
  const { context, page } = await openPageAs('junior');
  await page.goto('/queue');
  await page.getByRole('listitem').filter({ hasText: reference }).waitFor();
  const [name, csv] = await exported(page, 'CSV');
  expect(name).toMatch(/^countersign-reviews-.*\.csv$/);
  expect(csv.startsWith('\ufeffkind,number,')).toBe(true);
  expect(csv).toContain(reference);
  expect(csv.trim().split('\n').at(-1)).toMatch(/^end,1,/);
  await page.getByRole('radiogroup', { name: 'Show' }).getByText('Unassigned').click();
  const [, lines] = await exported(page, 'JSON');
  expect(lines).toContain(reference);
  expect(JSON.parse(lines.trim().split('\n').at(-1) ?? '')).toMatchObject({
    kind: 'end',
    number: 1,
  });
  await context.close();
  const boss = await openPageAs('manager');
  await boss.page.goto('/cases');
  await boss.page.getByRole('link', { name: reference }).waitFor();
  expect((await exported(boss.page, 'CSV'))[1]).toContain(reference);
  await boss.page.getByRole('link', { name: reference }).click();
  await boss.page.getByRole('button', { name: 'Download' }).click();
  const result = boss.page.getByRole('menuitem', { name: 'Result (JSON)' });
  await result.waitFor();
  const [file, text] = await saved(boss.page, () => result.click());
  expect(file).toBe(`${reference}-result.json`);
  expect(JSON.parse(text)).toMatchObject({ reference });
  await screenshot(boss.page, 'case-result');
  await boss.context.close();
});
