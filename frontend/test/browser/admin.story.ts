import { beforeAll, expect, test } from 'vitest';
import {
  control,
  environment,
  expectAccessible,
  graphql,
  inEveryView,
  openPage,
  openPageAs,
  runCLI,
  screenshot,
  sizes,
} from './environment.ts';

const longName = 'Freiherr von und zu der Hohen Rechnungspruefung '.repeat(7).slice(0, 300).trim();

beforeAll(async () => {
  await runCLI(
    'admin',
    'user',
    'add',
    'long@test.test',
    '--name',
    longName,
    '--role',
    'reviewer_l1',
    '--queue',
    'L1',
  );
  await runCLI('admin', 'user', 'disable', 'long@test.test');
});

test('an administrator sees people with their permissions and finds them', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/');
  await page.waitForURL('**/admin/people');
  const people = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: /conflict/i }) });
  await people.first().waitFor();
  await page.getByRole('searchbox').fill('jun park');
  await page.getByText('1 person').waitFor();
  await expect.poll(() => people.first().textContent()).toContain('Queues: L1');
  await expect.poll(() => people.first().textContent()).toMatch(/up to.*500,000/);
  await page.getByRole('searchbox').fill('no such person');
  await page.getByText('No matches').waitFor();
  await expectAccessible(page, 'people, no matches');
  await context.close();
});

test('an administrator declares a conflict of interest of a person', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/admin/people');
  await page.getByRole('button', { name: /Conflict of interest of Jun Park/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: /company/i }).fill('Acme Paper GmbH');
  await dialog.getByRole('textbox', { name: /reason/i }).fill('Sister works there');
  await screenshot(page, 'admin-conflict-desktop');
  await expectAccessible(page, 'conflict dialog');
  await dialog.getByRole('button', { name: 'Declare' }).click();
  await page.getByText('Jun Park no longer has access to cases of Acme Paper GmbH').waitFor();
  await context.close();
});

test('a key is shown once, works, and is revoked', async () => {
  const { context, page } = await openPageAs('junior');
  await page.goto('/');
  await page.getByRole('button', { name: /account/i }).click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('nightly upload');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const secret = (await dialog.getByRole('textbox', { name: 'Access key' }).textContent()) ?? '';
  await screenshot(page, 'account-key-desktop');
  await expectAccessible(page, 'key shown once');
  await dialog.getByRole('button', { name: 'I have saved the key' }).click();
  await page.getByText('nightly upload').waitFor();
  await expect.poll(() => page.getByText(secret).count()).toBe(0);
  const mine = async () => {
    const answer = await fetch(`${environment.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${secret}` },
      body: JSON.stringify({ query: '{ viewer { person { name } } }' }),
    });
    return answer.text();
  };
  await expect.poll(() => mine()).toContain('junior');
  await page.getByRole('button', { name: 'Revoke the key nightly upload' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Revoked').waitFor();
  await expect.poll(() => mine()).not.toContain('"junior"');
  await context.close();
});

test('a reviewer declares a conflict of their own, and it is listed', async () => {
  const { context, page } = await openPageAs('senior', { size: sizes.phone });
  await page.goto('/account');
  await page.getByRole('button', { name: 'Declare a conflict of interest' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: /company/i }).fill('Acme Paper GmbH');
  await dialog.getByRole('textbox', { name: /reason/i }).fill('I own a share of it');
  await dialog.getByRole('button', { name: 'Declare' }).click();
  await page.getByText('You no longer have access to cases of Acme Paper GmbH').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'I own a share of it' }).waitFor();
  const data = await graphql<{ viewer: { conflicts: unknown[] } }>(
    'senior',
    '{ viewer { conflicts { id } } }',
  );
  expect(data.viewer.conflicts).toHaveLength(1);
  await screenshot(page, 'account-phone');
  await expectAccessible(page, 'account');
  await context.close();
});

test('the list loads again after the server was unavailable', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/admin/people');
  await page.getByText('Jun Park').waitFor();
  await control('/server/stop');
  await page.getByRole('link', { name: 'Processes' }).click();
  await control('/server/start');
  await page.goto('/definitions');
  await page.getByRole('heading', { name: 'Document approval', exact: true }).waitFor();
  await context.close();
});

test('people, account and processes are accessible in every view', async () => {
  await inEveryView('admin', async (page, name) => {
    await page.goto('/admin/people');
    await page.getByText('Jun Park').waitFor();
    await screenshot(page, `admin-${name}`);
    await expectAccessible(page, `people ${name}`);
    await page.goto('/account');
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await screenshot(page, `account-${name}`);
    await expectAccessible(page, `account ${name}`);
    await page.goto('/definitions');
    await page.getByText('document_approval ·').waitFor();
    await screenshot(page, `definitions-${name}`);
    await expectAccessible(page, `processes ${name}`);
  });
});

test('conflicts of interest are imported after a preview, searched, and ended with a reason', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/admin/conflicts');
  await page.getByRole('button', { name: 'Import' }).click();
  const dialog = page.getByRole('dialog');
  const table = dialog.getByRole('textbox', { name: 'CSV' });
  const good =
    'email,counterparty,reason\njunior@test.test,Nordwind Logistics AG,Brother works there\n';
  await table.fill(`${good}nobody@test.test,Nordwind Logistics AG,Unknown\n`);
  await dialog.getByRole('button', { name: 'Preview', exact: true }).click();
  await dialog.getByText('Invalid', { exact: true }).waitFor();
  await expectAccessible(page, 'a refused import');
  await screenshot(page, 'admin-import-refused');
  await table.fill(good);
  await dialog.getByRole('button', { name: 'Preview', exact: true }).click();
  await dialog.getByRole('button', { name: 'Import 1 conflict' }).click();
  await page.getByText('1 conflict of interest imported.').waitFor();
  await page.getByRole('searchbox').fill('nordwind');
  await page.getByText('Brother works there').waitFor();
  await expectAccessible(page, 'conflicts');
  await screenshot(page, 'admin-conflicts');
  await page.setViewportSize(sizes.phone);
  const sideways = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  await expect.poll(sideways).toBeLessThanOrEqual(0);
  await screenshot(page, 'admin-conflicts-phone');
  await page.getByRole('button', { name: /^End the conflict of junior/ }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('He left the firm.');
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
  await page.getByText(/^Proposed to end the conflict/).waitFor();
  await context.close();
  const second = await openPageAs('admin2');
  await second.page.goto('/admin/controls');
  const open = second.page.getByRole('list', { name: 'Waiting for confirmation' });
  await open
    .getByRole('listitem')
    .filter({ hasText: 'He left the firm.' })
    .getByRole('button', { name: 'Confirm' })
    .click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await second.page.getByText(/Nordwind Logistics AG: confirmed\./).waitFor();
  await second.page.goto('/admin/conflicts');
  await second.page.getByRole('searchbox').fill('nordwind');
  await second.page.getByText('No active conflict matches this name.').waitFor();
  await second.context.close();
});

test('a country is raised by one administrator, and eased by two', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/admin/controls');
  const set = async (on: typeof page, level: string, reason: string) => {
    await on.getByRole('textbox', { name: 'Country code' }).fill('AE');
    await on.getByRole('combobox', { name: 'Risk' }).click();
    await on.getByRole('option', { name: level, exact: true }).click();
    await on.getByRole('textbox', { name: 'Reason for the risk' }).fill(reason);
    await on.getByRole('button', { name: 'Set risk' }).click();
  };
  await set(page, 'High', 'Sanctions');
  await page.getByText('AE changed.').waitFor();
  await set(page, 'None', 'Sanctions ended');
  await page.getByText(/AE proposed\. Another administrator/).waitFor();
  await page.getByText('(AE): risk from High to None').waitFor();
  await expectAccessible(page, 'country risks and rates');
  await screenshot(page, 'admin-controls');
  await page.setViewportSize(sizes.phone);
  await screenshot(page, 'admin-controls-phone');
  const mine = page.getByRole('list', { name: 'Waiting for confirmation' });
  await mine
    .getByText('Another administrator must confirm your proposal.')
    .first()
    .waitFor({ state: 'attached' });
  const second = await openPageAs('admin2');
  await second.page.goto('/admin/controls');
  const open = second.page.getByRole('list', { name: 'Waiting for confirmation' });
  await open
    .getByRole('listitem')
    .filter({ hasText: 'AE' })
    .getByRole('button', { name: 'Confirm' })
    .click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await second.page.getByText('(AE): risk from High to None: confirmed.').waitFor();
  await second.context.close();
  await context.close();
});

test('the amount from which reviewers are drawn is proposed by one administrator, and confirmed by another', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/admin/controls');
  await page.getByRole('combobox', { name: 'Process whose reviewers are drawn' }).click();
  await page.getByRole('option', { name: 'Merchant onboarding', exact: true }).click();
  await page.getByRole('textbox', { name: 'Amount in the base currency' }).fill('900000000');
  await page.getByRole('textbox', { name: 'Reason for the amount' }).fill('Collusion');
  await page.getByRole('button', { name: 'Propose amount' }).click();
  await page.getByText(/ proposed\. Another administrator/).waitFor();
  const title = /^Drawn reviewers of Merchant onboarding: from no mark to 900,000,000\.00 USD/;
  await page.getByText(title).first().waitFor();
  await expectAccessible(page, 'marks of drawn reviewers');
  const second = await openPageAs('admin2');
  await second.page.goto('/admin/controls');
  await second.page
    .getByRole('list', { name: 'Waiting for confirmation' })
    .getByRole('listitem')
    .filter({ hasText: 'Drawn reviewers' })
    .getByRole('button', { name: 'Confirm' })
    .click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await second.page
    .getByRole('list', { name: 'Drawn reviewers' })
    .getByText('Merchant onboarding')
    .waitFor();
  await second.context.close();
  await context.close();
});

test('a person is added by two administrators, chooses a password, and is kept from signing in by one', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/admin/people');
  await page.getByRole('button', { name: 'Add person' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Ines Ferreira');
  const save = dialog.getByRole('button', { name: 'Save' });
  await expect.poll(() => save.textContent()).toContain('email');
  await dialog.getByLabel('Email').fill('ines@test.test');
  await dialog.getByRole('combobox', { name: 'Roles' }).click();
  await page.getByRole('option', { name: 'Reviewer', exact: true }).click();
  await page.keyboard.press('Tab');
  await dialog.getByRole('combobox', { name: 'Queues' }).fill('L1');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await screenshot(page, 'admin-person-desktop');
  await expectAccessible(page, 'the form of a person');
  await save.click();
  await page.getByText('Ines Ferreira was proposed.').waitFor();
  const card = page.getByRole('listitem').filter({ hasText: 'ines@test.test' });
  await expect.poll(() => card.count()).toBe(0);

  const second = await openPageAs('admin2');
  await second.page.goto('/admin/controls');
  await second.page
    .getByRole('list', { name: 'Waiting for confirmation' })
    .getByRole('listitem')
    .filter({ hasText: 'Ines Ferreira' })
    .getByRole('button', { name: 'Confirm' })
    .click();
  const confirming = second.page.getByRole('dialog');
  await confirming.getByRole('button', { name: 'Confirm' }).click();
  const link = second.page.getByRole('dialog', { name: 'Password link for Ines Ferreira' });
  const address = (await link.locator('pre').textContent()) ?? '';
  expect(address).toContain('/welcome#');
  await screenshot(second.page, 'admin-password-link-desktop');
  await expectAccessible(second.page, 'the password link');
  await second.context.close();

  const ines = await openPage();
  await ines.page.goto(address);
  await ines.page.locator('input[name="password"]').fill('correct horse battery');
  await ines.page.locator('input[name="again"]').fill('correct horse battery');
  await screenshot(ines.page, 'choose-password-desktop');
  await expectAccessible(ines.page, 'choosing a password');
  await ines.page.getByRole('button', { name: 'Save password' }).click();
  await ines.page.waitForURL('**/sign-in');
  await ines.page.locator('input[name="email"]').fill('ines@test.test');
  await ines.page.locator('input[name="password"]').fill('correct horse battery');
  await ines.page.getByRole('button', { name: 'Sign in' }).click();
  await ines.page.waitForURL((url) => !url.pathname.startsWith('/sign-in'));
  await ines.context.close();

  await page.reload();
  await expect.poll(() => card.textContent()).toMatch(/Reviewer.*Queues: L1.*up to/s);
  await page.getByRole('button', { name: 'Edit Ines Ferreira' }).click();
  await dialog.getByRole('checkbox', { name: 'Account disabled' }).check();
  await save.click();
  await card.getByText('Disabled').waitFor();
  await context.close();
});

test('companies are grouped, and a conflict with one applies to the other', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/admin/conflicts');
  await page.getByRole('button', { name: 'Groups' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Company or person' }).fill('Acme Paper GmbH');
  await dialog.getByRole('button', { name: 'Show group' }).first().click();
  await dialog.getByText('It does not belong to a group.').first().waitFor();
  await dialog.getByRole('textbox', { name: 'Company in the same group' }).fill('Acme Holding SE');
  await dialog
    .getByRole('textbox', { name: 'Reason for the change' })
    .fill('Register of companies');
  await dialog.getByRole('button', { name: 'Propose addition to group' }).click();
  await dialog.getByText('Another administrator must confirm it.').waitFor();
  await expectAccessible(page, 'groups');
  await screenshot(page, 'admin-groups-desktop');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  const second = await openPageAs('admin2');
  await second.page.goto('/admin/controls');
  const change = second.page.getByRole('listitem').filter({ hasText: 'Add Acme Paper GmbH' });
  await change.getByRole('button', { name: 'Confirm' }).click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await second.page
    .getByText(/Add Acme Paper GmbH.*: confirmed/)
    .first()
    .waitFor();
  await second.context.close();
  await page.reload();
  await page.getByText('Also applies to: Acme Holding SE').first().waitFor();
  await context.close();
});

test('a reviewer declares a bank account of their own', async () => {
  const { context, page } = await openPageAs('junior2', { size: sizes.phone });
  await page.goto('/account');
  await page.getByRole('button', { name: 'Add bank account' }).click();
  await page.getByRole('textbox', { name: 'IBAN' }).fill('DE89 3704 0044 0532 0130 01');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('textbox', { name: 'IBAN' }).fill('DE89 3704 0044 0532 0130 00');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('DE89370400440532013000').waitFor();
  await expectAccessible(page, 'account with a bank account');
  await context.close();
});
