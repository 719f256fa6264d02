// The look of a page on a desktop and on a phone, for the stories that walk through one task.
import type { Page } from 'playwright-core';
import { expectAccessible, screenshot, sizes } from './environment.ts';

/** The window of a person who works at a desk. */
export const desktop = { width: 1440, height: 900 };

/** Checks and photographs the page on a desktop and on a phone. */
export async function viewed(page: Page, name: string): Promise<void> {
  await page.mouse.move(5, 500);
  await expectAccessible(page, name);
  await screenshot(page, name);
  await page.setViewportSize(sizes.phone);
  await expectAccessible(page, `${name} on a phone`);
  await screenshot(page, `${name}-phone`);
  await page.setViewportSize(desktop);
}
