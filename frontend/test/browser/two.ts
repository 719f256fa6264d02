// Two windows on the same form, for stories about two people at the same time.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openPageAs, type Username } from './environment.ts';
import { desktop } from './views.ts';

/** Opens the same address for two people. */
export async function both(first: Username, second: Username, path: string) {
  const opened = await Promise.all([first, second].map((as) => openPageAs(as, { size: desktop })));
  await Promise.all(opened.map(({ page }) => page.goto(path)));
  const [one, two] = opened.map(({ page }) => page);
  if (!one || !two) throw new Error('two windows');
  const close = () => Promise.all(opened.map(({ context }) => context.close()));
  return { one, two, close };
}

export const alertOf = (page: Page, text: RegExp) =>
  page.getByRole('alert').filter({ hasText: text });

/** The open dialog of the page. */
export const dialogOf = (page: Page) => page.getByRole('dialog');

/** Waits until the field has the value. */
export const keeps = (field: ReturnType<Page['locator']>, value: string) =>
  expect.poll(() => field.inputValue()).toBe(value);
