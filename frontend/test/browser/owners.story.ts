// A process has an owner who is no administrator: a text is published only after the owner approved it.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  confirmNewest,
  expectAccessible,
  graphql,
  openPageAs,
  runCLI,
  screenshot,
  sizes,
} from './environment.ts';
import { textEditor } from './text-editor.ts';

const process = 'merchant_onboarding';

async function publish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
}

test('an owner approves a text, and then another administrator publishes it', async () => {
  const [first, second, owner] = await Promise.all([
    openPageAs('admin'),
    openPageAs('admin2'),
    openPageAs('junior', { size: sizes.phone }),
  ]);
  await first.page.goto(`/definitions/${process}`);
  await first.page.getByText('This process has no owners.').waitFor();
  await first.page.getByRole('button', { name: 'Change owners' }).click();
  const dialog = first.page.getByRole('dialog');
  const { viewer } = await graphql<{ viewer: { person: { name: string } } }>(
    'junior',
    '{ viewer { person { name } } }',
  );
  const { name } = viewer.person;
  await dialog.getByRole('combobox', { name: 'People' }).fill(name);
  await first.page.getByRole('option', { name, exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Compliance owns it.');
  await expectAccessible(first.page, 'the form of owners');
  await dialog.getByRole('button', { name: 'Propose' }).click();
  await first.page.getByText(`Proposed owners: ${name} (1/1)`).waitFor();
  await confirmNewest();

  await first.page.goto(`/definitions/${process}/edit`);
  const text = textEditor(first.page, 'Process text');
  await text.waitFor();
  await text.fill((await text.inputValue()).replace('claim_within: 4h', 'claim_within: 5h'));
  await first.page.getByText(/^Valid:/).waitFor();
  await first.page.getByRole('button', { name: 'Propose' }).click();
  await first.page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
  await first.page.getByText(`Owners of ${process}: 0 of 1 approvals`).waitFor();

  await second.page.goto(`/definitions/${process}`);
  await publish(second.page);
  await second.page.getByText('needs the approval of 1 of its owners; 0 approved').waitFor();
  await second.page.getByText(`Ask ${name} to approve it`).waitFor();
  await screenshot(second.page, 'owners-refused');
  await second.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

  // What waits for the owner is in a list of its own, with its number in the menu.
  await owner.page.goto('/notices');
  await owner.page
    .getByRole('link', { name: `A proposal for ${process} waits for its owners` })
    .first()
    .waitFor();
  const entry = owner.page.locator('nav a[href="/approvals"]');
  await expect.poll(() => entry.textContent()).toBe('Approvals as owner1');
  await owner.page.goto('/approvals');
  await owner.page.getByText(`Owners of ${process}: 0 of 1 approvals`).waitFor();
  await expectAccessible(owner.page, 'what waits for an owner on a phone');
  await screenshot(owner.page, 'owners-tasks-phone');
  await owner.page.getByRole('link', { name: `Next text of ${process}` }).click();
  // The owner rehearses the text and comments on it before deciding.
  await owner.page.getByText('Rehearsal', { exact: true }).first().click();
  await owner.page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  await owner.page
    .getByText(/cases? rehearsed/)
    .first()
    .waitFor();
  await expectAccessible(owner.page, 'a rehearsal by an owner on a phone');
  await screenshot(owner.page, 'owners-rehearsal-phone');
  await owner.page.getByRole('textbox', { name: 'New comment' }).fill('Is five hours needed?');
  await owner.page.getByRole('button', { name: 'Add comment' }).click();
  await first.page.getByText('Is five hours needed?').waitFor();
  await owner.page.getByRole('button', { name: 'Resolve' }).click();
  await first.page.getByText('Resolved ·').waitFor();
  await owner.page.getByRole('button', { name: 'Approve', exact: true }).click();
  await owner.page.getByRole('dialog').getByRole('textbox').fill('Five hours are enough.');
  await expectAccessible(owner.page, 'the approval of an owner on a phone');
  await owner.page
    .getByRole('dialog')
    .getByRole('button', { name: 'Approve', exact: true })
    .click();
  await owner.page.getByText(`Owners of ${process}: 1 of 1 approvals`).waitFor();
  await owner.page.getByText('Five hours are enough.').waitFor();
  await expect.poll(() => entry.textContent()).toBe('Approvals as owner');
  await owner.page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(owner.page, 'an approved proposal in the dark on a phone');
  await screenshot(owner.page, 'owners-approved-phone');
  await expect.poll(() => owner.page.getByRole('button', { name: 'Publish' }).count()).toBe(0);

  await publish(second.page);
  await second.page.getByText('No open proposals.').waitFor();
  await removeOwners();
  for (const { context } of [first, second, owner]) await context.close();
}, 240_000);

/** Proposes that the process has no owners; its owner approves by the command line. */
async function removeOwners(): Promise<void> {
  const proposed = await runCLI('admin', 'process', 'set-owners', process, '--reason', 'Done.');
  expect(proposed.code, proposed.all).toBe(0);
  const { processOwners } = await graphql<{
    processOwners: { changes: { id: string; sha256: string }[] };
  }>('junior', '{ processOwners(process: "merchant_onboarding") { changes { id sha256 } } }');
  const change = processOwners.changes[0];
  const approved = await runCLI(
    'junior',
    'process',
    'approve',
    change?.id ?? '',
    change?.sha256 ?? '',
  );
  expect(approved.code, approved.all).toBe(0);
  await confirmNewest();
}
