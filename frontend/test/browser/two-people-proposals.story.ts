// Two administrators propose, confirm and withdraw at the same moment: the second one reads what the first one
// did, in the dialog that is open, and the page shows the present state afterwards.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { graphql } from './environment.ts';
import { alertOf, both, dialogOf, keeps } from './two.ts';
import { viewed } from './views.ts';

interface Policy {
  version: number;
  document: string;
}

async function policies(): Promise<Policy[]> {
  const query = '{ policies(first: 5) { nodes { version document } } }';
  return (await graphql<{ policies: { nodes: Policy[] } }>('admin', query)).policies.nodes;
}

/** Proposes the present policy as its next version; returns the id of the proposal. */
async function proposedPolicy(): Promise<string> {
  const [newest] = await policies();
  const document = JSON.stringify({
    ...(JSON.parse(newest?.document ?? '{}') as object),
    version: (newest?.version ?? 0) + 1,
  });
  const { done } = await graphql<{ done: { proposal: { id: string } } }>(
    'admin',
    'mutation($d: String!) { done: proposePolicy(input: { document: $d }) { proposal { id } } }',
    { d: document },
  );
  return done.proposal.id;
}

async function publishPolicy(): Promise<void> {
  const { done } = await graphql<{ done: { userErrors: { message: string }[] } }>(
    'admin2',
    'mutation($id: ID!) { done: publishPolicy(input: { proposalId: $id, confirm: true }) { userErrors { ... on Refusal { message } } } }',
    { id: await proposedPolicy() },
  );
  expect(done.userErrors.map(({ message }) => message)).toEqual([]);
}

test('a policy that another administrator has withdrawn is not published: the open dialog says so, and the list follows', async () => {
  await proposedPolicy();
  const { one, two, close } = await both('admin', 'admin2', '/admin/authority');
  await two.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialogOf(two).waitFor();
  await one.getByRole('button', { name: 'Withdraw', exact: true }).click();
  await dialogOf(one).getByRole('textbox').fill('Not now.');
  await dialogOf(one).getByRole('button', { name: 'Withdraw' }).click();
  await dialogOf(one).waitFor({ state: 'detached' });
  await dialogOf(two).getByRole('button', { name: 'Publish' }).click();
  await alertOf(two, /withdrawn, by admin/).waitFor();
  await viewed(two, 'two-people-policy-withdrawn');
  await dialogOf(two).getByRole('button', { name: 'Cancel' }).click();
  await two.getByRole('button', { name: 'Publish', exact: true }).waitFor({ state: 'detached' });
  await close();
});

test('a policy that is proposed on a version that is no longer in force is refused, and its text stays', async () => {
  const { one, two, close } = await both('admin', 'admin2', '/admin/authority');
  await one.close();
  await two.getByRole('button', { name: 'Edit policy' }).click();
  await two.getByRole('button', { name: /^decide, Senior reviewer: / }).click();
  const cell = dialogOf(two);
  await cell.getByRole('textbox', { name: /^Amount/ }).fill('900');
  await cell.getByRole('button', { name: 'Apply' }).click();
  await cell.waitFor({ state: 'detached' });
  await publishPolicy();
  await two.getByRole('button', { name: 'Propose', exact: true }).click();
  await dialogOf(two).getByRole('textbox').fill('For the new year.');
  await dialogOf(two)
    .getByRole('button', { name: /^Propose/ })
    .click();
  await alertOf(two, /is now in force/).waitFor();
  await keeps(dialogOf(two).getByRole('textbox'), 'For the new year.');
  await viewed(two, 'two-people-policy-base');
  await close();
});

test('a policy that is restored after another version came into force is proposed again on that one', async () => {
  await publishPolicy();
  const { one, two, close } = await both('admin', 'admin2', '/admin/authority');
  await one.close();
  await two.getByRole('combobox', { name: 'Version' }).selectOption({ index: 1 });
  await two.getByRole('button', { name: 'Restore' }).click();
  await dialogOf(two).getByRole('textbox').fill('The earlier one was right.');
  await publishPolicy();
  const propose = () =>
    dialogOf(two)
      .getByRole('button', { name: /^Propose/ })
      .click();
  await propose();
  await alertOf(two, /is now in force/).waitFor();
  await keeps(dialogOf(two).getByRole('textbox'), 'The earlier one was right.');
  await viewed(two, 'two-people-policy-restore');
  await propose();
  await dialogOf(two).waitFor({ state: 'detached' });
  await close();
});

test('of two who create a role, the second reads the description of the first one, and replaces it knowingly', async () => {
  const { one, two, close } = await both('admin', 'admin2', '/admin/authority');
  for (const page of [one, two]) {
    await page.getByRole('button', { name: 'Create role' }).click();
    await dialogOf(page).getByRole('textbox', { name: 'Name' }).fill('reviewer_asia');
  }
  const description = (page: Page) => dialogOf(page).getByRole('textbox', { name: 'Description' });
  await description(one).fill('Reviews of Asia');
  await description(two).fill('Asia and Oceania');
  await dialogOf(one).getByRole('button', { name: 'Create' }).click();
  await one.getByRole('cell', { name: 'Reviews of Asia' }).waitFor();
  await dialogOf(two).getByRole('button', { name: 'Create' }).click();
  await alertOf(two, /reviewer_asia exists, with the description "Reviews of Asia"/).waitFor();
  await keeps(description(two), 'Asia and Oceania');
  await viewed(two, 'two-people-role');
  await dialogOf(two).getByRole('button', { name: 'Replace the description' }).click();
  await two.getByText('Description of reviewer_asia changed.').waitFor();
  await two.getByRole('cell', { name: 'Asia and Oceania' }).waitFor();
  await close();
});
