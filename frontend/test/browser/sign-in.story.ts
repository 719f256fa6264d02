import { expect, test } from 'vitest';
import { holds, shot, signedIn, signIn, sizes, visit, world } from './world.ts';

test('a wrong password is refused in a sentence and the address stays typed', async () => {
  const { context, page } = await visit();
  await page.goto('/queue');
  await page.locator('input[name="email"]').fill(world.people.junior.email);
  await page.locator('input[name="password"]').fill('not the password');
  await page.locator('button[type="submit"]').click();
  await page.getByRole('alert').waitFor();
  expect(await page.locator('input[name="email"]').inputValue()).toBe(world.people.junior.email);
  await signIn(page, 'junior');
  await page.waitForURL('**/queue');
  await context.close();
});

test('signing out ends the session in every window', async () => {
  const { context, page } = await signedIn('junior');
  const other = await context.newPage();
  await other.goto('/queue');
  await other.getByRole('main').waitFor();
  await page.getByRole('button', { name: /account/i }).click();
  await page.getByRole('menuitem', { name: /sign out/i }).click();
  await page.locator('input[name="password"]').waitFor();
  await other.locator('input[name="password"]').waitFor();
  await context.close();
});

for (const [name, size] of Object.entries(sizes)) {
  for (const locale of ['en-GB', 'zh-CN'] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`the sign-in page holds: ${name} ${locale} ${colorScheme}`, async () => {
        const { context, page } = await visit({ size, locale, colorScheme });
        await page.goto('/sign-in');
        await page.locator('input[name="password"]').waitFor();
        await holds(page, 'sign-in');
        await shot(page, `sign-in-${name}-${locale}-${colorScheme}`);
        await context.close();
      });
    }
  }
}
