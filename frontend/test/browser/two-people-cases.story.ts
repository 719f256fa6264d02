// Two people have the same case, view or proposal open: the second one reads what the first one did.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { drawInvoice, graphql, submit } from './environment.ts';
import { act, reviewOf } from './reviews.ts';
import { alertOf, both, dialogOf, keeps } from './two.ts';
import { viewed } from './views.ts';

const box = (page: Page, name: string) => dialogOf(page).getByRole('textbox', { name });

/** The id of a case that the junior reviewer approved, when it is archived. */
async function archived(euros: number): Promise<string> {
  const reference = await submit('submitter', (await drawInvoice(euros)).path);
  const reviewId = (await reviewOf(reference)).id;
  await act('junior', 'claimReview', { reviewId });
  await act('junior', 'decideReview', { reviewId, decision: 'APPROVE', reason: 'Checked.' });
  const query = 'query($r: String!) { case(reference: $r) { id status } }';
  const found = async () =>
    (await graphql<{ case: { id: string; status: string } }>('manager', query, { r: reference }))
      .case;
  await expect.poll(async () => (await found()).status).toBe('ARCHIVED');
  return (await found()).id;
}

test('of two who change a view, the second reads who changed it and what, and saves the own name', async () => {
  const view = { list: 'CASES', audience: 'EVERYONE', parameters: [{ name: 'text', value: 'CS' }] };
  await act('manager', 'saveView', { ...view, name: 'Shared by two' });
  const { one, two, close } = await both('manager', 'admin', '/cases');
  for (const page of [one, two]) {
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Change “Shared by two”' }).click();
    await box(page, 'Name').waitFor();
  }
  await box(two, 'Name').fill('Named by the second');
  await box(one, 'Name').fill('Named by the first');
  await one.getByRole('button', { name: 'Save', exact: true }).click();
  await one.getByRole('button', { name: 'Named by the first' }).waitFor();
  await two.getByRole('button', { name: 'Save', exact: true }).click();
  await alertOf(two, /changed/).waitFor();
  await dialogOf(two).getByText('Name: Named by the first').waitFor();
  await keeps(box(two, 'Name'), 'Named by the second');
  await viewed(two, 'two-people-view');
  await two.getByRole('button', { name: 'Save', exact: true }).click();
  await two.getByRole('button', { name: 'Named by the second' }).waitFor();
  await close();
});

test('of two who correct an archived case, the second reads that it is corrected already', async () => {
  const id = await archived(5_340);
  const { one, two, close } = await both('manager', 'manager2', `/cases/${id}`);
  for (const page of [one, two]) {
    await page.getByRole('button', { name: 'Submit a correction' }).click();
    await box(page, 'What is wrong').fill('The total is 53.40.');
  }
  await one.getByRole('button', { name: 'Submit the correction' }).click();
  await one.waitForURL((url) => !url.pathname.endsWith(id));
  await two.getByRole('button', { name: 'Submit the correction' }).click();
  await alertOf(two, /correct/).waitFor();
  await keeps(box(two, 'What is wrong'), 'The total is 53.40.');
  await viewed(two, 'two-people-correction');
  await close();
});

test('of two who propose to lift a hold, the second reads that it is proposed already', async () => {
  const id = await archived(5_350);
  await act('admin', 'placeLegalHold', { caseId: id, reason: 'Court order' });
  const { one, two, close } = await both('admin', 'admin2', `/cases/${id}`);
  for (const page of [one, two]) {
    const section = page.getByRole('region', { name: 'Retention and erasure' });
    await section.getByRole('button', { name: 'Propose to lift' }).click();
    await box(page, 'Reason').fill('Settled');
  }
  const send = (page: Page) =>
    dialogOf(page).getByRole('button', { name: 'Propose to lift' }).click();
  await send(one);
  await one.getByText('The proposal waits for another administrator').waitFor();
  await send(two);
  await alertOf(two, /already proposed/).waitFor();
  await viewed(two, 'two-people-hold');
  await close();
});

interface RuleSet {
  key: string;
  version: number;
  document: string;
}

const ruleSet = async (): Promise<RuleSet> => {
  const query =
    '{ ruleSets(first: 1, filter: { newest: true }) { nodes { key version document } } }';
  const found = await graphql<{ ruleSets: { nodes: RuleSet[] } }>('admin', query);
  const [newest] = found.ruleSets.nodes;
  if (!newest) throw new Error('no rule set');
  return newest;
};

/** Proposes the present text of the set as its next version. */
async function proposed(set: RuleSet): Promise<string> {
  const text = set.document.replace(/^version: .*\n/m, '');
  const { done } = await graphql<{ done: { proposal: { id: string } } }>(
    'admin',
    'mutation($d: String!) { done: proposeRuleSet(input: { document: $d }) { proposal { id } } }',
    { d: `${text}\n# ${Date.now()}\n` },
  );
  return done.proposal.id;
}

test('a text that another administrator has withdrawn is not published, and the open dialog says so', async () => {
  const set = await ruleSet();
  await proposed(set);
  const { one, two, close } = await both('admin', 'admin2', `/rules/${set.key}`);
  await two.getByRole('button', { name: 'Publish' }).click();
  await dialogOf(two).waitFor();
  await one.getByRole('button', { name: 'Withdraw' }).click();
  await dialogOf(one).getByRole('textbox').fill('Not now.');
  await dialogOf(one).getByRole('button', { name: 'Withdraw' }).click();
  await one.getByText('No open proposals.').waitFor();
  await dialogOf(two).getByRole('button', { name: 'Publish' }).click();
  await alertOf(two, /withdrawn, by admin/).waitFor();
  await viewed(two, 'two-people-publish');
  await close();
});

test('a version that is no longer in force is not the base of a restored one', async () => {
  const publish = async () => {
    const proposalId = await proposed(await ruleSet());
    const { done } = await graphql<{ done: { userErrors: unknown[] } }>(
      'admin2',
      'mutation($id: ID!) { done: publishRuleSet(input: { proposalId: $id, confirm: true }) { userErrors { ... on Refusal { message } } } }',
      { id: proposalId },
    );
    expect(done.userErrors).toEqual([]);
  };
  await publish();
  const { key, version } = await ruleSet();
  const { one, two, close } = await both('admin', 'admin2', `/rules/${key}?version=${version - 1}`);
  await one.close();
  await two.getByRole('button', { name: 'Restore' }).click();
  await dialogOf(two).getByRole('textbox').fill('The earlier one was right.');
  await publish();
  const send = () =>
    dialogOf(two)
      .getByRole('button', { name: /^Propose/ })
      .click();
  await send();
  await alertOf(two, /is now in force/).waitFor();
  await viewed(two, 'two-people-restore');
  await keeps(dialogOf(two).getByRole('textbox'), 'The earlier one was right.');
  await send();
  await dialogOf(two).waitFor({ state: 'detached' });
  await close();
});
