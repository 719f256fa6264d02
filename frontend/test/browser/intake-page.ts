// Steps on the intake page that stories share.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { drawInvoice } from './environment.ts';

/** The card of a file. */
export const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true });
export const choose = (page: Page, files: string | string[]) =>
  page.getByLabel('Choose files or drop them here').last().setInputFiles(files);
export const long = { timeout: 120_000 };
export const nameOf = (path: string) => path.split('/').at(-1) ?? '';

export async function atIntake(page: Page): Promise<void> {
  await page.goto('/intake');
  await page.getByRole('heading', { level: 1, name: 'Submit documents' }).waitFor();
}

/** A valid PDF of about so many megabytes: what follows its end is no part of it. */
export async function heavy(megabytes: number): Promise<{ path: string; name: string }> {
  const { path, invoice } = await drawInvoice(100);
  const name = `${invoice}-heavy.pdf`;
  const bytes = Buffer.concat([
    readFileSync(path),
    Buffer.alloc(megabytes << 20, '%padding\n'),
    Buffer.from('\n%%EOF\n'),
  ]);
  const into = join(dirname(path), name);
  writeFileSync(into, bytes);
  return { path: into, name };
}
