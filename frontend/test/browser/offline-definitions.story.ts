// A process is proposed, published and its running case moved, a limit is lowered and line items are changed while each
// request, or its answer, is lost: the command is sent once more, and has one effect.
import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { drawInvoice, graphql, openPageAs, submit, type Username } from './environment.ts';
import { eventsOf, losses, unreachable } from './offline.ts';
import { newestText, publish, versionOf } from './processes.ts';
import { claimReview, waitingReview } from './reviews.ts';
import { textEditor } from './text-editor.ts';
import { desktop } from './views.ts';

type Lose = (typeof losses)['never arrives'];

const dialog = (page: Page) => page.getByRole('dialog');

/** Opens the address, does what leads to the command, and loses it. */
async function losing(
  as: Username,
  path: string,
  lose: Lose,
  command: { inRequest: string; fill: (page: Page) => Promise<void>; button: string },
) {
  const { context, page } = await openPageAs(as, { size: desktop });
  await page.goto(path);
  await command.fill(page);
  await lose(context, page, command.inRequest, () =>
    dialog(page).getByRole('button', { name: command.button, exact: true }).click(),
  );
  await answered(context, page);
}

async function answered(context: BrowserContext, page: Page) {
  await unreachable(page).waitFor({ state: 'detached' });
  await dialog(page).waitFor({ state: 'detached' });
  await context.close();
}

/** The statuses of what was proposed with the note or reason. */
async function proposedWith(text: string): Promise<string[]> {
  const found = await graphql<{
    proposals: { nodes: { note: string; status: string }[] };
    controlChanges: { nodes: { reason: string; status: string }[] };
  }>(
    'admin',
    '{ proposals(first: 100) { nodes { note status } } controlChanges(first: 100) { nodes { reason status } } }',
  );
  return [
    ...found.proposals.nodes.filter(({ note }) => note.includes(text)),
    ...found.controlChanges.nodes.filter(({ reason }) => reason.includes(text)),
  ].map(({ status }) => status);
}

let played = 0;
for (const [way, lose] of Object.entries(losses)) {
  test(`a change of a process and the move of its case: a command that ${way} has one effect`, async () => {
    played += 1;
    const key = `cut_off_${played}`;
    const { document } = await newestText('document_approval');
    await publish(document.replace('key: document_approval', `key: ${key}`));
    const reference = await submit('submitter', (await drawInvoice(2_000)).path, '--process', key);

    const note = `Another name ${played}`;
    await losing('admin', `/definitions/${key}/edit`, lose, {
      inRequest: note,
      button: 'Propose',
      fill: async (page) => {
        const editor = textEditor(page, 'Process text');
        await editor.waitFor();
        await editor.fill((await editor.inputValue()).replaceAll('review_l1', 'first_review'));
        await page.getByText(/^Valid:/).waitFor();
        await page.getByRole('button', { name: 'Propose' }).click();
        await dialog(page).getByRole('textbox').fill(note);
      },
    });
    await expect.poll(() => proposedWith(note)).toEqual(['PROPOSED']);

    await losing('admin2', `/definitions/${key}`, lose, {
      inRequest: 'idempotencyKey',
      button: 'Publish',
      fill: async (page) => {
        await page.getByText(note).waitFor();
        await page.getByRole('button', { name: 'Publish' }).click();
      },
    });
    await expect.poll(() => proposedWith(note)).toEqual(['PUBLISHED']);
    await expect.poll(async () => (await newestText(key)).version).toBe(2);

    const reason = `Moved on ${played}`;
    await losing('admin', `/definitions/${key}`, lose, {
      inRequest: reason,
      button: 'Propose',
      fill: async (page) => {
        // The drawing moves the page while it is loaded, which closes an open list.
        await page.locator('[data-node]').first().waitFor();
        const version = page.getByRole('listbox').getByRole('option', { name: 'Version 1' });
        await expect
          .poll(async () => {
            if (!(await version.isVisible()))
              await page.getByRole('combobox', { name: 'From version' }).click();
            return version.isVisible();
          })
          .toBe(true);
        await version.click();
        const mapping = page.getByRole('table', { name: 'Where cases continue' });
        await mapping.getByRole('combobox', { name: 'Review', exact: true }).click();
        await page
          .getByRole('listbox')
          .getByRole('option', { name: 'Review', exact: true })
          .click();
        await page.getByText('The plan is sound', { exact: false }).waitFor();
        await page.getByRole('button', { name: 'Propose' }).click();
        await dialog(page).getByLabel('Reason').fill(reason);
      },
    });
    await expect.poll(() => proposedWith(reason)).toEqual(['PROPOSED']);

    await losing('admin2', '/admin/controls', lose, {
      inRequest: 'idempotencyKey',
      button: 'Confirm',
      fill: async (page) => {
        await page
          .getByRole('list', { name: 'Waiting for confirmation' })
          .getByRole('listitem')
          .filter({ hasText: reason })
          .getByRole('button', { name: 'Confirm' })
          .click();
      },
    });
    await expect.poll(() => versionOf(reference)).toBe(2);
    await expect.poll(() => proposedWith(reason)).toEqual(['PUBLISHED']);
  });

  test(`changed line items: a command that ${way} has one effect`, async () => {
    const review = await waitingReview(9_870);
    const { context, page } = await openPageAs('senior', { size: desktop });
    await claimReview(page, review);
    await page.getByRole('button', { name: /Change the items|Enter items/ }).click();
    await page.getByRole('heading', { name: 'Line items' }).waitFor();
    await page.locator('[role="grid"] [role="gridcell"]').first().click();
    await page.keyboard.type('Cut off');
    await page.keyboard.press('Enter');
    await lose(context, page, 'idempotencyKey', () =>
      page.getByRole('button', { name: 'Save the items' }).click(),
    );
    await unreachable(page).waitFor({ state: 'detached' });
    await expect.poll(() => eventsOf(review, 'line_items.corrected')).toBe(1);
    await context.close();
  });
}
