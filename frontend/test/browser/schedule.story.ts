import { expect, test } from 'vitest';
import {
  confirmNewest,
  expectAccessible,
  graphql,
  inEveryView,
  openPageAs,
  screenshot,
  sizes,
} from './environment.ts';

const longName = 'Büro für die Prüfung grenzüberschreitender Zahlungen '
  .repeat(4)
  .slice(0, 100)
  .trim();

test('without a calendar every deadline runs day and night, and the page says so', async () => {
  const { context, page } = await openPageAs('manager', { size: sizes.phone });
  await page.goto('/admin/calendars');
  await page.getByText('No calendars yet').waitFor();
  await screenshot(page, 'calendars-empty-phone');
  await expectAccessible(page, 'calendars empty');
  await context.close();
});

test('a calendar is created, a queue uses it, and a colleague’s change is not overwritten', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/');
  await page.getByRole('link', { name: 'Queues and hours' }).click();
  await page.getByRole('link', { name: 'Calendars' }).click();
  await page.getByRole('button', { name: 'Create calendar' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill(longName);
  await dialog.getByRole('textbox', { name: 'Friday' }).fill('9-12');
  await dialog.getByRole('textbox', { name: 'Saturday' }).fill('all day');
  const save = dialog.getByRole('button', { name: 'Save' });
  await expect.poll(() => save.textContent()).toContain('The hours of Saturday are not valid');
  await screenshot(page, 'calendars-wrong-desktop');
  await expectAccessible(page, 'the form of a calendar');
  await dialog.getByRole('textbox', { name: 'Saturday' }).fill('');
  await dialog.getByRole('textbox', { name: 'Holidays' }).fill('2026-12-25');
  await save.click();
  await page.getByText('An administrator must confirm it').waitFor();
  await confirmNewest();
  await page.reload();
  await page.getByText('35 hours per week').waitFor();
  await page.getByRole('list', { name: 'Calendars' }).getByRole('button').click();
  await dialog.locator('summary').click();
  await dialog.getByRole('button', { name: 'Rehearse' }).click();
  await dialog.getByText(/rehearsed; nothing changes for/).waitFor({ timeout: 60_000 });
  await screenshot(page, 'calendars-rehearsed');
  await page.keyboard.press('Escape');

  await page.goto('/admin/queues');
  await page.getByRole('button', { name: 'Edit queue L1' }).click();
  await dialog.getByRole('combobox', { name: 'Assignment' }).selectOption('LEAST_LOADED');
  await dialog.getByRole('combobox', { name: 'Working hours' }).selectOption(longName);
  await dialog.getByRole('textbox', { name: 'Missed claim deadlines' }).fill('3');
  await expect.poll(() => save.textContent()).toContain('Enter both');
  await dialog.getByRole('combobox', { name: 'Then move to' }).selectOption('L2');
  // Another administrator is faster.
  await graphql(
    'manager',
    'mutation($i: SetQueueAssignmentInput!) { setQueueAssignment(input: $i) { settings { version } } }',
    {
      i: { queue: 'L1', strategy: 'ROUND_ROBIN', cap: 5 },
    },
  );
  await confirmNewest();
  await save.click();
  await dialog.getByText('Another user changed this while you had it open.').waitFor();
  await expectAccessible(page, 'the form of a queue, refused');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.reload();
  await page.getByText('Round robin · at most 5 open reviews per person').waitFor();
  await page.getByRole('button', { name: 'Edit queue L1' }).click();
  await dialog.getByRole('combobox', { name: 'Working hours' }).selectOption(longName);
  await dialog.getByRole('textbox', { name: 'Missed claim deadlines' }).fill('3');
  await dialog.getByRole('combobox', { name: 'Then move to' }).selectOption('L2');
  await screenshot(page, 'queues-form-desktop');
  await save.click();
  await page.getByText('Queue L1: proposed.').waitFor();
  await confirmNewest();
  await page.reload();
  await page.getByText('moves to L2 after 3 missed claim deadlines').waitFor();
  await context.close();
});

test('a reviewer sees that they have no access', async () => {
  const { context, page } = await openPageAs('junior');
  await page.goto('/admin/queues');
  await page.getByRole('alert').waitFor();
  await context.close();
});

test('queues and calendars are accessible in every view', async () => {
  await inEveryView('manager', async (page, name) => {
    await page.goto('/admin/queues');
    await page.getByRole('heading', { name: 'L1' }).waitFor();
    await screenshot(page, `queues-${name}`);
    await expectAccessible(page, `queues ${name}`);
    await page.goto('/admin/calendars');
    await page.getByRole('heading', { name: longName }).waitFor();
    await screenshot(page, `calendars-${name}`);
    await expectAccessible(page, `calendars ${name}`);
  });
});
