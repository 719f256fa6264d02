import { expect, test } from 'vitest';
import { expectAccessible, inEveryView, openPageAs, screenshot } from './environment.ts';
import { waiting } from './reviews.ts';

test('a view keeps the filters and order of the cases, is shared, changed and deleted', async () => {
  const alpha = await waiting(2_611, 'View Alpha GmbH');
  const beta = await waiting(2_612, 'View Beta GmbH');
  const { context, page } = await openPageAs('manager');
  const shown = async () => {
    const all = await page.getByRole('row').allTextContents();
    return all.flatMap((text) => /CS-\d+-\d+/.exec(text)?.[0] ?? []);
  };
  await page.goto('/cases?text=view+alpha&sort=amount_highest');
  await expect.poll(shown).toEqual([alpha]);
  await page.getByRole('button', { name: 'Views', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Save as a view' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Alpha first');
  await page.getByLabel('Shared with').selectOption('QUEUE L1');
  await page.getByLabel('Open the list of cases with this view').check();
  await expectAccessible(page, 'save a view');
  await screenshot(page, 'views-dialog');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Alpha first' }).waitFor();
  // The default view opens with the list, and every filter of it is in the address.
  await page.goto('/cases');
  await expect.poll(shown).toEqual([alpha]);
  await expect.poll(() => page.url()).toContain('sort=amount_highest');
  await page.getByLabel('Search by reference').fill('view');
  await page.getByText('Changed', { exact: true }).waitFor();
  await expect.poll(shown).toEqual([beta, alpha]);
  await expectAccessible(page, 'a changed view');
  await screenshot(page, 'views-changed');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Changed', { exact: true }).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'All cases' }).click();
  await expect.poll(() => page.url()).not.toContain('text=');
  // A reviewer of the queue sees it, and cannot change it.
  const other = await openPageAs('junior');
  await other.page.goto('/cases');
  await other.page.getByRole('button', { name: 'Alpha first' }).click();
  await expect.poll(() => other.page.url()).toContain('text=view');
  await other.page.getByRole('button', { name: 'Views', exact: true }).click();
  await other.page.getByRole('menuitem', { name: /Everyone with the queue L1/ }).waitFor();
  await expect.poll(() => other.page.getByRole('menuitem', { name: /Change/ }).count()).toBe(0);
  await other.page.keyboard.press('Escape');
  await other.page.keyboard.press('Control+k');
  await other.page.getByRole('textbox', { name: 'Command palette' }).fill('alpha first');
  await other.page.getByText('Cases: Alpha first').waitFor();
  await other.context.close();
  await page.getByRole('button', { name: 'Views', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Change “Alpha first”' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('for everyone it is shared with').waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Alpha first' }).waitFor({ state: 'hidden' });
  await context.close();
});

test('the bar of views is accessible on every screen', async () => {
  await inEveryView('manager', async (page, name) => {
    for (const list of ['cases', 'queue']) {
      await page.goto(`/${list}`);
      await page.locator('#content nav button').first().waitFor();
      await expectAccessible(page, `views of the ${list}, ${name}`);
      await screenshot(page, `views-${list}-${name}`);
    }
  });
});
