// Two administrators change the same setting: the second one reads what the first one changed, loses nothing,
// and sends again.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { confirmNewest, expectAccessible, graphql } from './environment.ts';
import { act } from './reviews.ts';
import { alertOf, both, dialogOf, keeps } from './two.ts';
import { viewed } from './views.ts';

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

test('of two who set the risk of a country, the second reads the level that the first one set', async () => {
  const { one, two, close } = await both('admin', 'admin2', '/admin/controls');
  const country = 'UG';
  const type = async (page: Page, level: string, reason: string) => {
    await field(page, 'Country code').fill(country);
    await page.getByRole('combobox', { name: 'Risk' }).click();
    await page.getByRole('option', { name: level, exact: true }).click();
    await field(page, 'Reason for the risk').fill(reason);
  };
  await type(two, 'Elevated', 'The yearly list');
  await type(one, 'High', 'Sanctions');
  await one.getByRole('button', { name: 'Set risk' }).click();
  await one.getByText('UG changed.').waitFor();
  await two.getByRole('button', { name: 'Set risk' }).click();
  await alertOf(two, /changed this to high while you had the form open/i).waitFor();
  await viewed(two, 'two-people-country');
  await keeps(field(two, 'Reason for the risk'), 'The yearly list');
  // From High to Elevated eases a control, which another administrator confirms.
  await two.getByRole('button', { name: 'Set risk' }).click();
  await two.getByText(/UG proposed\. Another administrator/).waitFor();
  await close();
});

test('of two who set an exchange rate, the second reads the rate that the first one set', async () => {
  const { exchangeRates } = await graphql<{
    exchangeRates: { rates: { currency: string; rate: string }[] };
  }>('admin', '{ exchangeRates { rates { currency rate } } }');
  const now = Number(exchangeRates.rates.find(({ currency }) => currency === 'EUR')?.rate);
  const [first, second] = [(now * 1.001).toFixed(4), (now * 1.002).toFixed(4)];
  const { one, two, close } = await both('admin', 'admin2', '/admin/controls');
  const type = async (page: Page, rate: string) => {
    await field(page, 'Currency').fill('EUR');
    await field(page, 'Rate').fill(rate);
    await field(page, 'Reason for the rate').fill('Central bank');
  };
  await type(two, second);
  await type(one, first);
  await one.getByRole('button', { name: 'Set rate' }).click();
  await one.getByText('EUR changed.').waitFor();
  await two.getByRole('button', { name: 'Set rate' }).click();
  await alertOf(two, /changed this to .* while you had the form open/).waitFor();
  await keeps(field(two, 'Rate'), second);
  await two.getByRole('button', { name: 'Set rate' }).click();
  await two.getByText('EUR changed.').waitFor();
  await close();
});

test('a proposal that another administrator has withdrawn is not confirmed, and its page says so', async () => {
  const countries = [{ country: 'SN', level: 'HIGH' }];
  await act('admin', 'setCountryRisks', { countries, reason: 'List' });
  await act('admin', 'setCountryRisks', {
    countries: [{ country: 'SN', level: 'NONE' }],
    reason: 'The list has ended',
  });
  const { one, two, close } = await both('admin', 'admin2', '/admin/controls');
  const change = (page: Page) =>
    page
      .getByRole('list', { name: 'Waiting for confirmation' })
      .getByRole('listitem')
      .filter({ hasText: 'SN' });
  await change(two).getByRole('button', { name: 'Confirm' }).click();
  await dialogOf(two).getByRole('button', { name: 'Confirm' }).waitFor();
  await change(one).getByRole('button', { name: 'Withdraw' }).click();
  await dialogOf(one).getByRole('textbox').fill('The list was prolonged.');
  await dialogOf(one).getByRole('button', { name: 'Withdraw' }).click();
  await change(one).waitFor({ state: 'detached' });
  await dialogOf(two).getByRole('button', { name: 'Confirm' }).click();
  await alertOf(two, /withdrawn, by admin/).waitFor();
  await viewed(two, 'two-people-withdrawn');
  await expectAccessible(two, 'a proposal that another administrator has withdrawn');
  await close();
});

test('a queue: what another person changed is shown, fields that were not touched follow, and it is sent again', async () => {
  const { one, two, close } = await both('admin', 'manager', '/admin/queues');
  for (const page of [one, two]) await page.getByRole('button', { name: 'Edit queue L1' }).click();
  const most = (page: Page) => field(page, 'Maximum open reviews per person');
  await most(two).fill('7');
  await one.getByRole('combobox', { name: 'Assignment' }).selectOption('ROUND_ROBIN');
  await most(one).fill('5');
  await one.getByRole('button', { name: 'Save' }).click();
  await one.getByText('Queue L1: proposed.').waitFor();
  await confirmNewest();
  await two.getByRole('button', { name: 'Save' }).click();
  await alertOf(two, /changed this while you had it open/).waitFor();
  await dialogOf(two).getByText('Changed since you opened this form:').waitFor();
  await dialogOf(two).getByText('Assignment: Round robin').waitFor();
  await dialogOf(two).getByText('Maximum open reviews per person: 5').waitFor();
  await viewed(two, 'two-people-queue');
  await keeps(most(two), '7');
  await keeps(two.getByRole('combobox', { name: 'Assignment' }), 'ROUND_ROBIN');
  await two.getByRole('button', { name: 'Save' }).click();
  await two.getByText('Queue L1: proposed.').waitFor();
  await close();
});

test('a calendar: what another person changed is shown, and what was typed is sent again', async () => {
  const hours = [{ weekday: 1, from: '09:00', to: '17:00' }];
  await act('manager', 'setCalendar', { name: 'Two people', zone: 'Europe/Berlin', hours });
  await confirmNewest();
  const { one, two, close } = await both('admin', 'manager', '/admin/calendars');
  for (const page of [one, two])
    await page.getByRole('button', { name: 'Edit calendar Two people' }).click();
  await field(two, 'Holidays').fill('2026-12-24');
  await field(one, 'Friday').fill('9-12');
  await one.getByRole('button', { name: 'Save' }).click();
  await one.getByText('Calendar Two people: proposed.').waitFor();
  await confirmNewest();
  await two.getByRole('button', { name: 'Save' }).click();
  await alertOf(two, /changed this while you had it open/).waitFor();
  await dialogOf(two).getByText('Friday: 09:00-12:00').waitFor();
  await keeps(field(two, 'Friday'), '09:00-12:00');
  await keeps(field(two, 'Holidays'), '2026-12-24');
  await viewed(two, 'two-people-calendar');
  await two.getByRole('button', { name: 'Save' }).click();
  await two.getByText('Calendar Two people: proposed.').waitFor();
  await close();
});

test('a person: a queue that another administrator took stays taken, and the typed name is saved', async () => {
  const { one, two, close } = await both('admin', 'admin2', '/admin/people');
  for (const page of [one, two]) await page.getByRole('button', { name: 'Edit Jun Park' }).click();
  await field(two, 'Employee id').fill('E-1');
  const queues = dialogOf(one).getByRole('combobox', { name: 'Queues' });
  await queues.click();
  await queues.press('Backspace');
  await queues.press('Tab');
  await dialogOf(one).getByRole('button', { name: 'Save' }).click();
  await one.getByText('Jun Park saved.').waitFor();
  await dialogOf(two).getByRole('button', { name: 'Save' }).click();
  await alertOf(two, /changed this while you had it open/).waitFor();
  await dialogOf(two).getByText('Queues: L1', { exact: true }).waitFor();
  await viewed(two, 'two-people-person');
  await keeps(field(two, 'Employee id'), 'E-1');
  await dialogOf(two).getByRole('button', { name: 'Save' }).click();
  await two.getByText(/^Jun Park was? ?saved\./).waitFor();
  const person = two.getByRole('listitem').filter({ hasText: 'junior2@test.test' });
  await expect.poll(() => person.textContent()).toContain('Queues: L1');
  await expect.poll(() => person.textContent()).not.toContain('repair');
  await close();
});

test('a connector that another administrator has paused is shown as paused', async () => {
  const reason = 'Ledger';
  await act('admin', 'putConnector', {
    ...{ name: 'two', url: 'https://two.example/hook', secrets: ['two-1'] },
    ...{ audience: 'STAFF', reason },
  });
  await confirmNewest();
  const { one, two, close } = await both('admin', 'admin2', '/admin/connectors');
  const card = (page: Page) => page.getByRole('region', { name: 'two' });
  await card(two).getByRole('button', { name: 'Pause' }).waitFor();
  await card(one).getByRole('button', { name: 'Pause' }).click();
  await one.getByText('two is paused.').waitFor();
  await card(two).getByRole('button', { name: 'Pause' }).click();
  await card(two).getByText('Paused').waitFor();
  await viewed(two, 'two-people-connector');
  await close();
});

test('of two proposals of one amount, the one that was not confirmed first is refused with the reason', async () => {
  const { one, two, close } = await both('admin', 'admin2', '/admin/controls');
  const propose = async (page: Page, amount: string) => {
    await page.getByRole('combobox', { name: 'Process whose reviewers are drawn' }).click();
    await page.getByRole('option', { name: 'Merchant onboarding', exact: true }).click();
    await field(page, 'Amount in the base currency').fill(amount);
    await field(page, 'Reason for the amount').fill('Collusion');
    await page.getByRole('button', { name: 'Propose amount' }).click();
    await page.getByText(/ proposed\. Another administrator/).waitFor();
  };
  const confirm = async (page: Page, amount: RegExp) => {
    const open = page.getByRole('list', { name: 'Waiting for confirmation' });
    const change = open.getByRole('listitem').filter({ hasText: amount });
    await change.getByRole('button', { name: 'Confirm' }).click();
    await dialogOf(page).getByRole('button', { name: 'Confirm' }).click();
  };
  await propose(one, '900000000');
  await propose(two, '800000000');
  await one.reload();
  await confirm(one, /800,000,000/);
  await one.getByText(/800,000,000.*confirmed\./).waitFor();
  await confirm(two, /900,000,000/);
  await alertOf(two, /value has changed since this change was proposed/).waitFor();
  await viewed(two, 'two-people-draw-mark');
  await close();
});
