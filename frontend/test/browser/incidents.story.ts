import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  control,
  drawInvoice,
  expectAccessible,
  inEveryView,
  openPageAs,
  screenshot,
  sizes,
  submit,
} from './environment.ts';

const references: string[] = [];
const line = (page: Page, reference: string) =>
  page.getByRole('listitem').filter({ hasText: reference });

beforeAll(async () => {
  await control('/tesseract/fails');
  for (let n = 0; n < 4; n++)
    references.push(await submit('submitter', (await drawInvoice(2_000 + n, 'png')).path));
});

afterAll(() => control('/tesseract/works'));

async function opened(page: Page): Promise<void> {
  await page.goto('/incidents');
  const cause = page.getByRole('button', { name: /Reading failed/ });
  await cause.waitFor();
  if ((await cause.getAttribute('aria-expanded')) !== 'true') await cause.click();
  await line(page, references[0] ?? '').waitFor();
}

test('incidents are grouped by their cause, and each group opens its own', async () => {
  const { context, page } = await openPageAs('manager');
  await opened(page);
  await expect.poll(() => page.getByRole('button', { name: /4 open/ }).count()).toBe(1);
  for (const reference of references) await line(page, reference).waitFor();
  await screenshot(page, 'incidents-desktop');
  await expectAccessible(page, 'incidents');
  await context.close();
});

test('a retry stays amber, and is red with its cause when the step fails again', async () => {
  const [reference = ''] = references;
  const { context, page } = await openPageAs('manager');
  await opened(page);
  // The worker would fail again before a slow page shows that it tries.
  await control('/worker/stop');
  await page.getByRole('button', { name: `Retry ${reference}` }).click();
  await line(page, reference).getByText('Retrying, not yet passed').waitFor();
  await screenshot(page, 'incidents-asked-desktop');
  await control('/worker/start');
  await line(page, reference).getByText('Failed again').waitFor();
  await screenshot(page, 'incidents-again-desktop');
  await expectAccessible(page, 'incidents failed again');
  await context.close();
});

test('many are retried together, and are green only when the step has passed', async () => {
  const { context, page } = await openPageAs('manager');
  await opened(page);
  const colleague = await openPageAs('manager2');
  await opened(colleague.page);
  const given = references[3] ?? '';
  await page.getByRole('button', { name: `Abandon ${given}` }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('The scan is unreadable');
  await page.getByRole('dialog').getByRole('button', { name: 'Abandon' }).click();
  await line(page, given).getByText('Abandoned').waitFor();
  await control('/tesseract/works');
  await control('/worker/stop');
  await page.getByRole('button', { name: /^Retry all 3/ }).click();
  await line(page, references[0] ?? '')
    .getByText('Retrying, not yet passed')
    .waitFor();
  await control('/worker/start');
  for (const reference of references.slice(0, 3)) {
    await line(page, reference).getByText('Passed').waitFor();
  }
  await page.getByText('3 steps have passed.').waitFor();
  await screenshot(page, 'incidents-passed-desktop');
  await expectAccessible(page, 'incidents passed');
  // What a colleague had open empties by itself.
  await colleague.page.getByText('No incidents').waitFor();
  await page.getByRole('button', { name: 'Dismiss completed' }).click();
  await page.getByText('No incidents').waitFor();
  await screenshot(page, 'incidents-empty-desktop');
  await expectAccessible(page, 'incidents empty');
  await colleague.context.close();
  await context.close();
});

test('a submitter repairs their own, and the page loads again after the server was unavailable', async () => {
  await control('/tesseract/fails');
  const reference = await submit('submitter', (await drawInvoice(2_100, 'png')).path);
  const { context, page } = await openPageAs('submitter', { size: sizes.phone });
  await page.goto('/incidents');
  await line(page, reference).waitFor();
  await screenshot(page, 'incidents-submitter-phone');
  await expectAccessible(page, 'incidents of a submitter');
  await control('/tesseract/works');
  await control('/worker/stop');
  await page.getByRole('button', { name: `Retry ${reference}` }).click();
  await line(page, reference).getByText('Retrying, not yet passed').waitFor();
  await control('/server/stop');
  await control('/server/start');
  await control('/worker/start');
  await line(page, reference).getByText('Passed').waitFor();
  await context.close();
});

test('other pages of incidents are accessible', async () => {
  await control('/tesseract/fails');
  const vendor = 'Gesellschaft für ganz besonders lange Namen '.repeat(7).slice(0, 300).trim();
  const reference = await submit('submitter', (await drawInvoice(2_200, 'png', vendor)).path);
  await inEveryView('manager', async (page, name) => {
    await page.goto('/incidents');
    await line(page, reference).waitFor();
    await screenshot(page, `incidents-${name}`);
    await expectAccessible(page, `incidents ${name}`);
  });
});

test('for a damaged file the retry is last, and the file is named', async () => {
  const path = join(tmpdir(), `damaged-${Date.now()}.png`);
  await writeFile(path, Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
  const reference = await submit('submitter', path);
  const { context, page } = await openPageAs('manager');
  await page.goto('/incidents');
  const row = line(page, reference);
  await expect
    .poll(async () => {
      const cause = page.getByRole('button', {
        name: /The file is damaged: the PNG cannot be read/,
      });
      if ((await cause.getAttribute('aria-expanded')) !== 'true') await cause.click();
      return row.getByRole('button').or(row.getByRole('link')).allTextContents();
    })
    .toEqual([reference, 'Enter values by hand', 'Abandon', 'Retry']);
  await row.getByText(basename(path)).waitFor();
  await expect.poll(() => page.getByRole('checkbox').count()).toBe(0);
  await screenshot(page, 'incidents-damaged');
  await context.close();
});
