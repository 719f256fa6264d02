// Forms of settings whose request or answer is lost are sent once more, and have one effect.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { graphql, openPageAs, type Username } from './environment.ts';
import { losses, unreachable } from './offline.ts';
import { desktop } from './views.ts';

interface Form {
  as: Username;
  path: string;
  /** Opens the form and fills it; `text` differs for each command and is in its request. */
  fill: (page: Page, text: string) => Promise<void>;
  send: (page: Page) => Promise<void>;
  /** How many effects the command had. */
  effects: (text: string) => Promise<number>;
}

const dialog = (page: Page) => page.getByRole('dialog');
const inDays = (count: number) =>
  new Date(Date.now() + count * 86_400_000).toISOString().slice(0, 10);

/** How many texts of an answer contain the text of the command. */
const inAnswer = (as: Username, query: string) => async (text: string) =>
  JSON.stringify(await graphql(as, query)).split(text).length - 1;

const proposed = inAnswer('admin', '{ controlChanges(first: 100) { nodes { reason after } } }');
const days: Record<string, string> = {};

const forms: Record<string, Form> = {
  'a retention period': {
    as: 'admin',
    path: '/admin/controls',
    fill: async (page, text) => {
      days[text] = String(3_700 + 100 * Object.keys(days).length);
      await page.getByRole('textbox', { name: 'Days' }).fill(days[text] ?? '');
      await page.getByRole('textbox', { name: 'Reason', exact: true }).last().fill(text);
    },
    send: (page) => page.getByRole('button', { name: 'Set period' }).click(),
    effects: inAnswer('admin', '{ retentionPeriods { reason } }'),
  },
  'a connector': {
    as: 'admin',
    path: '/admin/connectors',
    fill: async (page, text) => {
      const name = text.toLowerCase().replaceAll(/\W+/g, '-').slice(-12);
      await page.getByRole('textbox', { name: 'Name' }).fill(`books${name}`);
      await page.getByRole('textbox', { name: 'Address' }).fill('https://books.example/hook');
      await page.getByRole('textbox', { name: 'Secrets' }).fill('books-1');
      await page.getByRole('textbox', { name: 'Reason' }).fill(text);
    },
    send: (page) => page.getByRole('button', { name: 'Propose' }).click(),
    effects: proposed,
  },
  'an amount from which reviewers are drawn': {
    as: 'admin',
    path: '/admin/controls',
    fill: async (page, text) => {
      await page.getByRole('combobox', { name: 'Process whose reviewers are drawn' }).click();
      await page.getByRole('option', { name: 'Document approval', exact: true }).click();
      const amount = String(50_000 + text.length);
      await page.getByRole('textbox', { name: 'Amount in the base currency' }).fill(amount);
      await page.getByRole('textbox', { name: 'Reason for the amount' }).fill(text);
    },
    send: (page) => page.getByRole('button', { name: 'Propose amount' }).click(),
    effects: proposed,
  },
  'a delegation': {
    as: 'senior',
    path: '/delegations',
    fill: async (page, text) => {
      await page.getByRole('button', { name: 'Add delegation' }).click();
      await dialog(page)
        .getByRole('combobox', { name: /^Delegate/ })
        .click();
      await page.getByRole('option', { name: 'Amara Diallo', exact: true }).click();
      // One period after the other: two of one delegate do not overlap.
      await dialog(page)
        .getByLabel('First day')
        .fill(inDays(3 * text.length));
      await dialog(page)
        .getByLabel('Last day')
        .fill(inDays(3 * text.length + 1));
      await dialog(page).getByRole('textbox', { name: 'Reason' }).fill(text);
    },
    send: (page) => dialog(page).getByRole('button', { name: 'Save' }).click(),
    effects: inAnswer('senior', '{ viewer { delegations { reason } } }'),
  },
  'a calendar': {
    as: 'admin',
    path: '/admin/calendars',
    fill: async (page, text) => {
      await page.getByRole('button', { name: 'Create calendar' }).click();
      await dialog(page).getByRole('textbox', { name: 'Name' }).fill(text);
      await dialog(page).getByRole('textbox', { name: 'Friday' }).fill('9-12');
    },
    send: (page) => dialog(page).getByRole('button', { name: 'Save' }).click(),
    effects: inAnswer('admin', '{ controlChanges(first: 100) { nodes { subject } } }'),
  },
};

let sent = 0;
for (const [name, form] of Object.entries(forms))
  for (const [way, lose] of Object.entries(losses))
    test(`${name}: a form that ${way} has one effect`, async () => {
      sent += 1;
      const text = `Cut off ${'x'.repeat(sent)} end`;
      const { context, page } = await openPageAs(form.as, { size: desktop });
      await page.goto(form.path);
      await form.fill(page, text);
      await lose(context, page, text, () => form.send(page));
      await unreachable(page).waitFor({ state: 'detached' });
      await expect.poll(() => form.effects(text)).toBe(1);
      await context.close();
    });
