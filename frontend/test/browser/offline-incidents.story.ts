// Actions on an incident whose request or answer is lost are sent once more, and have one effect.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { control, drawInvoice, graphql, openPageAs, submit } from './environment.ts';
import { eventsOf, losses, unreachable } from './offline.ts';
import { desktop } from './views.ts';

beforeAll(() => control('/tesseract/fails'));
afterAll(() => control('/tesseract/works'));

/** A case whose reading has failed. */
async function failedCase(euros: number): Promise<{ case: { id: string; reference: string } }> {
  const reference = await submit('submitter', (await drawInvoice(euros, 'png')).path);
  const { case: found } = await graphql<{ case: { id: string } }>(
    'submitter',
    'query($reference: String!) { case(reference: $reference) { id } }',
    { reference },
  );
  return { case: { ...found, reference } };
}

interface Action {
  /** A text of the request; null for one with a file. */
  mark: string | null;
  fill: (page: Page) => Promise<void>;
  send: (page: Page) => Promise<void>;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

const actions: Record<string, Action> = {
  retry: {
    mark: '"expectedStatus":"INCIDENT"',
    fill: async () => {},
    send: (page) => button(page, 'Retry').click(),
  },
  'values by hand': {
    mark: 'INV-BY-HAND',
    fill: async (page) => {
      await button(page, 'Enter values by hand').click();
      await page.getByRole('textbox', { name: 'Number', exact: true }).fill('INV-BY-HAND');
    },
    send: (page) => button(page, 'Use these values').click(),
  },
  'another file': {
    mark: null,
    fill: async (page) => {
      const { path } = await drawInvoice(2_420);
      await button(page, 'Replace the file').click();
      await page.locator('input[type="file"]').first().setInputFiles(path);
    },
    send: (page) => button(page, 'Submit this file').click(),
  },
  abandonment: {
    mark: 'Sent twice, by mistake.',
    fill: async (page) => {
      await button(page, 'Abandon case').click();
      await page.getByRole('textbox', { name: 'Reason' }).fill('Sent twice, by mistake.');
    },
    send: (page) => button(page, 'Abandon case').click(),
  },
};

for (const [name, action] of Object.entries(actions))
  for (const [way, lose] of Object.entries(losses))
    test(`${name}: an action that ${way} has one effect`, async () => {
      const failed = await failedCase(2_410);
      const { context, page } = await openPageAs('submitter', { size: desktop });
      await page.goto(`/cases/${failed.case.id}`);
      await button(page, 'Retry').waitFor();
      await action.fill(page);
      await lose(context, page, action.mark, () => action.send(page));
      await unreachable(page).waitFor({ state: 'detached' });
      await expect.poll(() => eventsOf(failed, 'incident.resolved')).toBe(1);
      await context.close();
    });
