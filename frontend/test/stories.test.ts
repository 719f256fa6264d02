// Checks that browser stories wait for what they expect of a page.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './source.ts';

/** An expectation of what one read returned, although the page may still be loading. */
const readOnce = /\bexpect\(\s*await\b/;

test('the check finds an expectation of what was read once', () => {
  expect("expect(await page.locator('p').count()).toBe(1)").toMatch(readOnce);
  expect("expect(\n    await page.locator('p').count(),\n  ).toBe(1)").toMatch(readOnce);
  expect("await expect.poll(() => page.locator('p').count()).toBe(1)").not.toMatch(readOnce);
});

test('stories poll what they expect of a page', () => {
  const folder = join(root, 'test/browser');
  const stories = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  expect(stories.length).toBeGreaterThan(60);
  const found = stories.filter((name) => readOnce.test(readFileSync(join(folder, name), 'utf8')));
  expect(found, 'use expect.poll, or name a value that never changes').toEqual([]);
});
