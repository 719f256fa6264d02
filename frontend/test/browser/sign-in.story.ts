import { expect, test } from 'vitest';
import {
  environment,
  expectAccessible,
  inEveryView,
  openPage,
  openPageAs,
  screenshot,
  signIn,
} from './environment.ts';

test('a wrong password is refused in a sentence and the address stays typed', async () => {
  const { context, page } = await openPage();
  await page.goto('/queue');
  await page.locator('input[name="email"]').fill(environment.people.junior.email);
  await page.locator('input[name="password"]').fill('not the password');
  await page.locator('button[type="submit"]').click();
  await page.getByRole('alert').waitFor();
  await expect
    .poll(() => page.locator('input[name="email"]').inputValue())
    .toBe(environment.people.junior.email);
  await signIn(page, 'junior');
  await page.waitForURL('**/queue');
  await context.close();
});

test('signing out ends the session in every window', async () => {
  const { context, page } = await openPageAs('junior');
  await page.goto('/');
  const other = await context.newPage();
  await other.goto('/queue');
  await other.getByRole('main').waitFor();
  await page.getByRole('button', { name: /account/i }).click();
  await page.getByRole('menuitem', { name: /sign out/i }).click();
  await page.locator('input[name="password"]').waitFor();
  await other.locator('input[name="password"]').waitFor();
  await context.close();
});

test('the sign-in page is accessible in every view', async () => {
  await inEveryView(null, async (page, name) => {
    await page.goto('/sign-in');
    await page.locator('input[name="password"]').waitFor();
    await expectAccessible(page, `sign-in ${name}`);
    await screenshot(page, `sign-in-${name}`);
  });
});
