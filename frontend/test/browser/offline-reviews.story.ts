// Commands of the review desk whose request or answer is lost are sent once more, and have one effect.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { drawUnitedInvoices, graphql, openPageAs, submit } from './environment.ts';
import { eventsOf, losses, unreachable } from './offline.ts';
import { act, claimReview, reviewOf, type Waiting, waitingReview } from './reviews.ts';
import { desktop } from './views.ts';

interface Command {
  /** Which event of the case the command writes once. */
  event: string;
  begin: () => Promise<Waiting>;
  /** Fills the form on the page of the claimed review; `text` is in the request. */
  fill: (page: Page, text: string) => Promise<void>;
  send: (page: Page) => Promise<void>;
  /** What the page shows when the command is done. */
  done: (page: Page) => Promise<void>;
}

const dialog = (page: Page) => page.getByRole('dialog');

const verdict = (button: string, said: string): Command => ({
  event: 'review.decided',
  begin: () => waitingReview(9_510),
  fill: async (page, text) => {
    await page.getByLabel(/^Reason/).fill(text);
    await page.getByText('Draft saved').waitFor();
    await page.getByRole('button', { name: new RegExp(`^${button}`) }).click();
  },
  send: (page) => dialog(page).getByRole('button', { name: button }).click(),
  done: (page) => page.getByText(said).first().waitFor(),
});

const united = async () =>
  reviewOf(await submit('submitter', (await drawUnitedInvoices(2_000, 3_000)).path));

/** The review of the first part of a file that another person has split. */
async function partOfSplit(): Promise<Waiting> {
  const whole = await united();
  await act('senior', 'claimReview', { reviewId: whole.id });
  const parts = [1, 2].map((page) => ({ first: page, last: page }));
  await act('senior', 'splitCase', { reviewId: whole.id, parts });
  let part: Waiting | undefined;
  await expect
    .poll(async () => {
      const { case: split } = await graphql<{ case: { parts: { reference: string }[] } }>(
        'manager',
        'query($id: ID!) { case(id: $id) { parts { reference } } }',
        { id: whole.case.id },
      );
      const [first] = split.parts;
      part = first && (await reviewOf(first.reference).catch(() => undefined));
      return part !== undefined;
    })
    .toBe(true);
  if (!part) throw new Error('no part');
  return part;
}

const commands: Record<string, Command> = {
  return: verdict('Return', 'Decided by you: Returned'),
  escalation: verdict('Escalate', 'Decided by you: Escalated'),
  split: {
    event: 'case.split',
    begin: united,
    fill: (page) => page.getByRole('button', { name: 'Choose the pages' }).click(),
    send: (page) => dialog(page).getByRole('button', { name: 'Split into 2 cases' }).click(),
    done: (page) => page.getByRole('dialog', { name: 'New cases' }).waitFor(),
  },
  merge: {
    event: 'case.merged',
    begin: partOfSplit,
    fill: async (page, text) => {
      await page.getByRole('button', { name: 'Merge the parts again' }).click();
      await dialog(page).getByRole('textbox').fill(text);
    },
    send: (page) => dialog(page).getByRole('button', { name: 'Merge', exact: true }).click(),
    done: (page) => page.getByRole('dialog', { name: 'New cases' }).waitFor(),
  },
};

for (const [name, command] of Object.entries(commands))
  for (const [way, lose] of Object.entries(losses))
    test(`${name}: a command that ${way} has one effect`, async () => {
      const review = await command.begin();
      const { context, page } = await openPageAs('manager', { size: desktop });
      await claimReview(page, review);
      const text = `Checked by telephone, ${name}.`;
      await command.fill(page, text);
      const mark = name === 'split' ? '"parts"' : `"reason":"${text}"`;
      await lose(context, page, mark, () => command.send(page));
      await command.done(page);
      await unreachable(page).waitFor({ state: 'detached' });
      await expect.poll(() => eventsOf(review, command.event)).toBe(1);
      await context.close();
    });
