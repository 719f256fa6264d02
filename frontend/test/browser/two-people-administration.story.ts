// Two people carry what one may not carry alone: a mapping of a group, a migration and its undo, a quality sample.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { drawInvoice, graphql, submit, type Username } from './environment.ts';
import { newestText, publish, versionOf } from './processes.ts';
import { act, reviewOf, waiting } from './reviews.ts';
import { approvedValues, enter, take } from './samples.ts';
import { both, dialogOf } from './two.ts';
import { viewed } from './views.ts';

const open = (page: Page) => page.getByRole('list', { name: 'Waiting for confirmation' });

/** Confirms the only open change on the page of confirmations. */
async function confirm(page: Page): Promise<void> {
  await open(page).getByRole('button', { name: 'Confirm' }).click();
  await dialogOf(page).getByRole('button', { name: 'Confirm' }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
}

test('the second administrator reads what a mapping of a group takes away, and either one removes it', async () => {
  const { one, two, close } = await both('admin', 'admin2', '/admin/controls');
  const form = (name: string) => one.getByRole('textbox', { name, exact: true });
  await form('Provider').fill('crop');
  await form('Group').fill('reviewers');
  await one.getByRole('combobox', { name: 'Role', exact: true }).click();
  await one.getByRole('option', { name: 'Reviewer', exact: true }).waitFor();
  await expect.poll(() => one.getByRole('option', { name: 'Administrator' }).count()).toBe(0);
  await one.getByRole('option', { name: 'Reviewer', exact: true }).click();
  await form('Reason').first().fill('The directory names them');
  await one.getByRole('button', { name: 'Propose', exact: true }).click();
  await one.getByText('The configured providers are: corp.', { exact: false }).waitFor();
  await form('Provider').fill('corp');
  await one.getByRole('button', { name: 'Propose', exact: true }).click();
  const change = 'Map the group corp: reviewers to the role Reviewer';
  await open(one).getByText(change).waitFor();
  await expect
    .poll(() => open(one).getByRole('button', { name: 'Confirm' }).getAttribute('aria-disabled'))
    .toBe('true');
  await open(two).getByText(change).waitFor();
  await open(two).getByRole('button', { name: 'Confirm' }).click();
  await dialogOf(two).getByText('gives the role to no one', { exact: false }).waitFor();
  await viewed(two, 'two-people-group-mapping');
  await dialogOf(two).getByRole('button', { name: 'Confirm' }).click();
  await two.getByText(`${change}: confirmed.`).waitFor();
  await one.reload();
  for (const page of [one, two])
    await page.getByRole('button', { name: 'Remove the mapping of reviewers' }).waitFor();
  await one.getByRole('button', { name: 'Remove the mapping of reviewers' }).click();
  await one.getByText('Mapping removed.').waitFor();
  await two.getByRole('button', { name: 'Remove the mapping of reviewers' }).click();
  await two.getByText('The mapping of reviewers had already been removed.').waitFor();
  await close();
});

test('an undo moves the cases back that no one has touched, and names the others', async () => {
  const key = 'moved_by_two';
  const { document } = await newestText('document_approval');
  const text = document.replace('key: document_approval', `key: ${key}`);
  await publish(text);
  const still = await submit('submitter', (await drawInvoice(2_310)).path, '--process', key);
  const touched = await submit('submitter', (await drawInvoice(2_320)).path, '--process', key);
  await publish(text.replaceAll('review_l1', 'first_review'));
  const { one, two, close } = await both('admin', 'admin2', `/definitions/${key}`);
  await one.locator('[data-node]').first().waitFor();
  await one.getByRole('combobox', { name: 'From version' }).click();
  await one.getByRole('listbox').getByRole('option', { name: 'Version 1' }).click();
  await one.getByText('2 running cases of version 1.').waitFor();
  const mapping = one.getByRole('table', { name: 'Where cases continue' });
  await mapping.getByRole('combobox', { name: 'Review', exact: true }).click();
  await one.getByRole('listbox').getByRole('option', { name: 'Review', exact: true }).click();
  await one.getByText('The plan is sound', { exact: false }).waitFor();
  await one.getByRole('button', { name: 'Propose' }).click();
  await dialogOf(one).getByLabel('Reason').fill('new names');
  await dialogOf(one).getByRole('button', { name: 'Propose' }).click();
  await one.getByText('The migration was proposed.', { exact: false }).waitFor();
  await two.goto('/admin/controls');
  await open(two)
    .getByText('2 running cases have the earlier version now.', { exact: false })
    .waitFor();
  await confirm(two);
  await one.getByText('2 moved, 0 not moved, 0 waiting').waitFor();
  await act('junior', 'claimReview', { reviewId: (await reviewOf(touched)).id });
  await one.getByRole('button', { name: 'Undo', exact: true }).click();
  await dialogOf(one).getByLabel('Reason').fill('wrong version');
  await dialogOf(one).getByRole('button', { name: 'Undo' }).click();
  await one.getByText('The undo was proposed.', { exact: false }).waitFor();
  await open(two).getByText('which moved 2 cases.', { exact: false }).waitFor();
  await confirm(two);
  await one.getByText('1 moved, 1 not moved, 0 waiting').waitFor();
  await one.getByRole('button', { name: 'Cases that did not move' }).first().click();
  await one.getByRole('link', { name: touched }).waitFor();
  await viewed(one, 'two-people-migration-undone');
  expect([await versionOf(still), await versionOf(touched)]).toEqual([1, 2]);
  await close();
});

test('two people who take a sample at the same moment: one checks it, and another one settles it', async () => {
  for (const stratum of ['STRAIGHT', 'APPROVED']) {
    const share = { process: 'document_approval', stratum, percent: '100', reason: 'Audit' };
    await act('admin', 'proposeSampleShare', share);
    const { controlChanges } = await graphql<{ controlChanges: { nodes: { id: string }[] } }>(
      'admin2',
      '{ controlChanges(first: 1, filter: { status: PROPOSED }) { nodes { id } } }',
    );
    await act('admin2', 'confirmControlChange', { proposalId: controlChanges.nodes[0]?.id });
  }
  const reference = await waiting(2_330);
  const values = await approvedValues((await reviewOf(reference)).id);
  const samples = async (as: Username) =>
    (
      await graphql<{ qualitySamples: { nodes: { reference: string }[] } }>(
        as,
        '{ qualitySamples(first: 20) { nodes { reference } } }',
      )
    ).qualitySamples.nodes;
  await expect
    .poll(async () => (await samples('auditor')).some((one) => one.reference === reference))
    .toBe(true);

  const { one, two, close } = await both('junior2', 'senior', '/quality');
  const taken = (page: Page) => page.getByRole('textbox', { name: 'Vendor', exact: true });
  const none = (page: Page) => page.getByText('No sample is waiting that you can check.');
  for (const page of [one, two]) await take(page).waitFor();
  await Promise.all([one, two].map((page) => take(page).click()));
  // One of both has it, and the other one reads that none is waiting.
  await Promise.any([one, two].map((page) => taken(page).waitFor()));
  const [checker, other] = (await taken(one).count()) > 0 ? [one, two] : [two, one];
  await none(other).waitFor();
  await enter(checker, { ...values, total: '1.00' });
  await checker.getByRole('radio', { name: 'Yes' }).click();
  await checker.getByRole('button', { name: 'Send check' }).click();
  await checker.getByText('Your check was recorded.').waitFor();
  // Who checked does not settle it; the other one does.
  await take(checker).click();
  await none(checker).waitFor();
  await take(other).click();
  await other.getByText('The checker disagreed with the archived case.').waitFor();
  await viewed(other, 'two-people-sample');
  await other.getByRole('radio', { name: /^Yes/ }).click();
  await other.getByRole('textbox', { name: 'Reason' }).fill('The check misread the total.');
  await other.getByRole('button', { name: 'Send decision' }).click();
  await other.getByText('The archived case was confirmed.').waitFor();
  await close();
});
