import { readdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  environment,
  expectAccessible,
  openPage,
  openPageAs,
  screenshot,
  signIn,
  sizes,
  type Username,
} from './environment.ts';

const places: Partial<Record<Username, string[]>> = {
  submitter: ['Submit documents', 'Cases', 'Incidents'],
  junior: ['My queue', 'Cases', 'Quality sample', 'Statistics', 'Delegations'],
  manager: [
    'Workload',
    'My queue',
    'Cases',
    'Incidents',
    'Queues and hours',
    'Quality sample',
    'Statistics',
    'Audit',
    'Processes',
    'Rules',
    'Document types',
    'Delegations',
  ],
  auditor: [
    'Cases',
    'People and roles',
    'Roles and limits',
    'Quality sample',
    'Statistics',
    'Audit',
    'Processes',
    'Rules',
    'Document types',
  ],
  admin: [
    'People and roles',
    'Confirmations',
    'Connectors',
    'Roles and limits',
    'Queues and hours',
    'Quality sample',
    'Statistics',
    'Audit',
    'Processes',
    'Rules',
    'Document types',
    'Delegations',
  ],
};

test('every user sees the pages of their roles, and no others', async () => {
  for (const [who, words] of Object.entries(places)) {
    const { context, page } = await openPage();
    await page.goto('/sign-in');
    await signIn(page, who as Username);
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    await links.first().waitFor();
    const offered = async () =>
      (await links.allTextContents()).map((text) => text.replace(/\d+$/, '').trim());
    await expect.poll(offered, { message: who }).toEqual(words);
    await context.close();
  }
});

test('language and appearance are switched, and stay', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/');
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: '中文' }).click();
  await page.getByRole('heading', { name: '人员与角色' }).waitFor();
  await page.getByRole('button', { name: '您的账户' }).click();
  await page.getByRole('menuitem', { name: '深色' }).click();
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: '人员与角色' }).waitFor();
  await expect
    .poll(() => page.locator('html').getAttribute('data-mantine-color-scheme'))
    .toBe('dark');
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('zh-Hans');
  await context.close();
});

test('the menu of a phone opens and closes', async () => {
  const { context, page } = await openPageAs('manager', { size: sizes.phone });
  await page.goto('/');
  await page.getByRole('button', { name: 'Open menu' }).click();
  await page.getByRole('link', { name: 'Processes' }).waitFor();
  await screenshot(page, 'shell-menu-phone');
  await expectAccessible(page, 'menu');
  await page.getByRole('link', { name: 'Processes' }).click();
  await page.getByRole('heading', { name: 'Processes', level: 1 }).waitFor();
  await context.close();
});

test('an ended session asks for the password over the page, and what was typed stays', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/admin/people');
  await page.getByRole('searchbox').fill('jun');
  await page.getByText('Adele Berg').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /Conflict of interest of Jun Park/ }).click();
  const dialog = page.getByRole('dialog').filter({ hasText: 'Conflict of interest' });
  await dialog.getByRole('textbox', { name: /company/i }).fill('Acme Paper GmbH');
  await dialog.getByRole('textbox', { name: /reason/i }).fill('Sister works there');
  await context.clearCookies();
  // Another request may notice the end of the session first, and then the button is covered.
  await dialog.getByRole('button', { name: 'Declare' }).dispatchEvent('click');
  const ended = page.getByRole('dialog').filter({ hasText: 'Sign in again' });
  await ended.waitFor();
  await screenshot(page, 'shell-ended-desktop');
  await ended.locator('input[name="password"]').fill(environment.people.admin.password);
  await ended.getByRole('button', { name: 'Sign in', exact: true }).click();
  await ended.waitFor({ state: 'hidden' });
  await expect
    .poll(() => dialog.getByRole('textbox', { name: /company/i }).inputValue())
    .toBe('Acme Paper GmbH');
  await dialog.getByRole('button', { name: 'Declare' }).click();
  await page.getByText('Jun Park no longer has access to cases of Acme Paper GmbH').waitFor();
  await context.close();
});

test('no page shows the key of a text, also when the language is switched on it', async () => {
  const files = readdirSync(new URL('../../src/i18n/en', import.meta.url)).map((name) =>
    name.replace('.json', ''),
  );
  const key = new RegExp(`(?<![\\w/])(${files.join('|')})\\.[a-z]\\w*(\\.\\w+)*`, 'g');
  for (const who of ['manager', 'admin'] as const) {
    const { context, page } = await openPageAs(who);
    await page.goto('/');
    const links = page.getByRole('navigation').getByRole('link');
    await links.first().waitFor();
    const addresses = await links.evaluateAll((all) =>
      all.map((link) => link.getAttribute('href')),
    );
    for (const address of [...addresses, '/account', '/notices']) {
      await page.goto(address ?? '/');
      for (const [account, language, title] of [
        ['Your account', '中文', /\p{Script=Han}/u],
        ['您的账户', 'English', /[a-z]/],
      ] as const) {
        await page.getByRole('heading', { level: 1 }).waitFor();
        await expectNoKeys(page, key, address);
        await page.getByRole('button', { name: account }).click();
        await page.getByRole('menuitem', { name: language }).click();
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
        await expectNoKeys(page, key, address);
      }
    }
    await context.close();
  }
});

async function expectNoKeys(page: Page, key: RegExp, address: string | null) {
  // With the labels that only a screen reader reads.
  const text = await page.locator('body').ariaSnapshot();
  expect(text.match(key) ?? [], String(address)).toEqual([]);
}
