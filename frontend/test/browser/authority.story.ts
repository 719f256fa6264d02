import { expect, test } from 'vitest';
import {
  drawInvoice,
  expectAccessible,
  graphql,
  inEveryView,
  openPageAs,
  screenshot,
  sizes,
  submit,
  type Username,
} from './environment.ts';
import { textEditor } from './text-editor.ts';

test('a permission, its condition and its limit are one proposal, which a second administrator publishes', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/');
  await page.getByRole('link', { name: 'Roles and limits' }).click();
  await page.getByRole('button', { name: 'Create role' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Payments');
  await expect
    .poll(() => dialog.getByRole('button', { name: 'Create' }).textContent())
    .toContain('lowercase letters');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('payments_lead');
  await dialog
    .getByRole('textbox', { name: 'Description' })
    .fill('Pays what was approved, '.repeat(12).slice(0, 290));
  await expectAccessible(page, 'the form of a role');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('row').filter({ hasText: 'payments_lead' }).first().waitFor();
  // The condition is made from scratch, and the limit is of one document type.
  await page.getByRole('button', { name: 'decide, payments_lead: not allowed' }).click();
  await dialog
    .getByRole('combobox', { name: 'Reviews in own queues' })
    .selectOption('Allowed under a condition…');
  await dialog.getByRole('combobox', { name: 'Fact 1' }).selectOption('document type');
  const done = dialog.getByRole('button', { name: /^Apply/ });
  await expect.poll(() => done.textContent()).toContain('Enter every value first.');
  await dialog.getByRole('combobox', { name: 'Value 1' }).selectOption('invoice');
  await dialog.getByRole('button', { name: 'Add comparison' }).click();
  await dialog.getByRole('combobox', { name: 'Fact 2' }).selectOption('submitter');
  await dialog.getByRole('combobox', { name: 'Relation 2' }).selectOption('is not the person');
  await dialog.getByRole('combobox', { name: 'Limit for' }).selectOption('invoice');
  await dialog
    .getByRole('combobox', { name: 'Approval limit', exact: true })
    .selectOption('Up to an amount');
  await dialog.getByRole('textbox', { name: /^Amount/ }).fill('250000 EUR');
  await dialog.getByText('Enter an amount like').waitFor();
  await dialog.getByRole('textbox', { name: /^Amount/ }).fill('250,000');
  await screenshot(page, 'authority-cell-desktop');
  await expectAccessible(page, 'the form of a cell');
  await done.click();
  const cell = page.getByRole('button', { name: /^decide, payments_lead: / });
  await expect
    .poll(() => cell.textContent())
    .toContain('invoice: allowed under a condition, up to 250,000.00 USD');
  await page.getByRole('combobox', { name: 'Document type' }).selectOption('invoice');
  await expect.poll(() => cell.textContent()).toContain('≤ 250,000 USD');
  await page.getByRole('combobox', { name: 'Document type' }).selectOption('All types');
  const text = await textEditor(page, 'Policy rules').inputValue();
  expect(text).toContain(
    String.raw`"condition": "review.document_type == \"invoice\" && review.submitter != user.id"`,
  );
  expect(text).toContain(
    '{"role":"payments_lead","documentType":"invoice","before":"none","after":"250000.00 USD"}',
  );
  await page.getByText(/Nothing changes for any of the \d+ active people/).waitFor();
  await page.getByRole('list', { name: 'Changed limits' }).first().getByText('none →').waitFor();
  await page.getByText('Rehearsal', { exact: true }).first().click();
  await page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  await page.getByText(/rehearsed; nothing changes for/).waitFor({ timeout: 60_000 });
  await screenshot(page, 'authority-draft-desktop');
  await expectAccessible(page, 'a changed policy');
  await page.getByRole('button', { name: 'Propose' }).click();
  await dialog.getByRole('textbox').fill('The lead decides invoices');
  await dialog.getByRole('button', { name: 'Propose' }).click();
  await page.getByText('The lead decides invoices').waitFor();
  await expect.poll(() => limitOf('payments_lead', 'invoice')).toBeNull();
  await context.close();
  await publish('The lead decides invoices');
  await expect.poll(() => limitOf('payments_lead', 'invoice')).toBe('250000.00');
});

test('a higher limit is shown with the people and amounts before it is proposed; a lower one is set alone', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/admin/authority');
  const dialog = page.getByRole('dialog');
  const limit = async (amount: string) => {
    await page.getByRole('button', { name: /^decide, Reviewer: / }).click();
    await dialog.getByRole('textbox', { name: /^Amount/ }).fill(amount);
    await dialog.getByRole('button', { name: 'Apply' }).click();
  };
  await limit('900000');
  const effect = page.getByRole('table', { name: 'What would change for whom' });
  const row = effect.getByRole('row').filter({ hasText: '500,000.00 USD → 900,000.00 USD' });
  await row.first().waitFor();
  await expect
    .poll(() => effect.textContent())
    .toContain('All types: 500,000.00 USD → 900,000.00 USD');
  await screenshot(page, 'authority-higher-limit-desktop');
  await expectAccessible(page, 'the effect of a higher limit');
  await expect.poll(() => page.getByRole('button', { name: /^Lower now/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Propose' }).click();
  await dialog.getByRole('textbox').fill('Reviewers decide more');
  await dialog.getByRole('button', { name: 'Propose' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Reviewers decide more').waitFor();
  await expect.poll(() => limitOf('reviewer_l1', '')).toBe('500000.00');
  await publish('Reviewers decide more');
  await expect.poll(() => limitOf('reviewer_l1', '')).toBe('900000.00');
  // What only lowers a limit needs no second administrator.
  await page.reload();
  await limit('500000');
  await page.getByRole('button', { name: /^Lower now/ }).click();
  await page.getByText('Limit of Reviewer lowered.').waitFor();
  await expect.poll(() => limitOf('reviewer_l1', '')).toBe('500000.00');
  await page.getByRole('button', { name: /^Propose/ }).waitFor();
  await expect
    .poll(() => page.getByRole('button', { name: /^Propose/ }).textContent())
    .toContain('Change something first.');
  await context.close();
});

/** Publishes the proposal with the note as the second administrator. */
async function publish(note: string) {
  const { context, page } = await openPageAs('admin2');
  await page.goto('/admin/authority');
  const proposal = page
    .getByRole('list', { name: 'Proposed changes' })
    .getByRole('listitem')
    .filter({ hasText: note });
  await proposal.getByText('What would change for whom').first().waitFor();
  await screenshot(page, 'authority-proposed-limits');
  await proposal.getByRole('button', { name: /^Publish/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
  await proposal.waitFor({ state: 'detached' });
  await context.close();
}

test('who confirms a limit that a program proposed reads the people and amounts, and confirms what was read', async () => {
  await graphql(
    'admin',
    `mutation { setLimit(input: {role: "reviewer_l1", amount: {amount: "700000.00", currency: "USD"}}) {
      proposal { id } } }`,
  );
  const { context, page } = await openPageAs('admin2');
  await page.goto('/admin/controls');
  await page
    .getByRole('list', { name: 'Waiting for confirmation' })
    .getByRole('listitem')
    .filter({ hasText: '700000.00 USD' })
    .getByRole('button', { name: 'Confirm' })
    .click();
  const dialog = page.getByRole('dialog');
  const effect = dialog.getByRole('table', { name: 'What would change for whom' });
  await effect.waitFor();
  await expect.poll(() => effect.textContent()).toContain('500,000.00 USD → 700,000.00 USD');
  await screenshot(page, 'controls-effect-of-a-limit');
  await expectAccessible(page, 'the confirmation of a limit');
  await page.setViewportSize(sizes.phone);
  await screenshot(page, 'controls-effect-of-a-limit-phone');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => limitOf('reviewer_l1', '')).toBe('700000.00');
  await graphql(
    'admin',
    `mutation { setLimit(input: {role: "reviewer_l1", amount: {amount: "500000.00", currency: "USD"}}) {
      proposal { id } } }`,
  );
  await context.close();
});

/** The limit of a role for a document type, null for none. */
async function limitOf(role: string, documentType: string): Promise<string | null> {
  const { limits } = await graphql<{
    limits: { role: string; documentType: string; amount: { amount: string } | null }[];
  }>('admin', '{ limits { role documentType amount { amount } } }');
  const found = limits.find((one) => one.role === role && one.documentType === documentType);
  return found?.amount?.amount ?? null;
}

test('policy rules are checked while typing, proposed, and published by a second administrator', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/admin/authority');
  await page.getByRole('button', { name: 'Edit policy' }).click();
  const text = textEditor(page, 'Policy rules');
  const before = await text.inputValue();
  const more = (condition: string) =>
    before.replace(
      /"rules": \[/,
      `"rules": [{"name": "payments lead claims", "role": "payments_lead", "action": "claim", "object": "queue_review", "condition": "${condition}"},`,
    );
  await text.fill(more('1 + 1 == 2'));
  await page.getByRole('status').getByText('payments lead claims').waitFor();
  const propose = page.getByRole('button', { name: 'Propose' });
  await expect.poll(() => propose.textContent()).toContain('Fix the problems first.');
  await screenshot(page, 'authority-faulty-desktop');
  await expectAccessible(page, 'faulty rules');
  await text.fill(more(''));
  await page.getByText('No problems found.').waitFor();
  await propose.click();
  await page.getByRole('dialog').getByRole('textbox').fill('The lead claims too');
  await page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
  await page.getByText('The lead claims too').waitFor();
  await expect
    .poll(() => page.getByRole('button', { name: /^Publish/ }).textContent())
    .toContain('Another administrator must publish');
  await context.close();

  const second = await openPageAs('admin2');
  await second.page.goto('/admin/authority');
  await second.page
    .getByRole('region', { name: 'Changes' })
    .first()
    .getByText('payments lead claims')
    .waitFor();
  await screenshot(second.page, 'authority-proposed-desktop');
  await expectAccessible(second.page, 'proposed rules');
  // The proposal is rehearsed, and the dialog that publishes says what was found.
  await second.page.getByText('Rehearsal', { exact: true }).first().click();
  await second.page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  await second.page.getByText('This text', { exact: true }).waitFor();
  await expectAccessible(second.page, 'a rehearsed proposal of the policy');
  await screenshot(second.page, 'policy-proposal-rehearsed');
  await second.page.getByRole('button', { name: 'Publish', exact: true }).click();
  await second.page
    .getByRole('dialog')
    .getByText(/The rehearsal of the most past cases|1 rehearsal of this text is recorded/)
    .first()
    .waitFor();
  await screenshot(second.page, 'policy-publish');
  await second.page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
  await second.page.getByText(/^\d+ \(current\)$/).waitFor({ state: 'attached' });
  await second.page.getByRole('button', { name: /^claim, payments_lead: allowed/ }).waitFor();
  // The first version is proposed again, and that is withdrawn.
  await second.page
    .getByRole('combobox', { name: 'Version', exact: true })
    .selectOption('Version 1');
  await second.page.getByRole('button', { name: 'Restore' }).click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
  await second.page.getByText(/^Version \d+, restores version 1$/).waitFor();
  await second.page.getByRole('button', { name: 'Withdraw' }).click();
  await second.page.getByRole('dialog').getByRole('textbox').fill('Not needed');
  await second.page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await second.page.getByText(/^Version \d+, restores version 1$/).waitFor({ state: 'detached' });
  await second.context.close();
});

test('a right is taken by a click, its effect is shown, and a second administrator publishes it', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/admin/authority');
  await page.getByRole('button', { name: 'Edit policy' }).click();
  const text = textEditor(page, 'Policy rules');
  const before = await text.inputValue();
  const matrix = page.getByRole('region', { name: 'Permissions by role' });
  await matrix.getByRole('button', { name: /^decide, Reviewer: allowed under/ }).click();
  const choice = page.getByRole('dialog').getByRole('combobox', { name: 'Reviews in own queues' });
  await expectAccessible(page, 'the choices of a cell');
  await choice.selectOption('Not allowed');
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).last().click();
  const rules = (json: string) => (JSON.parse(json) as { rules: { name: string }[] }).rules;
  const left = rules(await text.inputValue());
  expect(left).toEqual(
    rules(before).filter(({ name }) => name !== 'reviewer_l1 may decide queue_review'),
  );
  expect(left).toHaveLength(rules(before).length - 1);
  const effect = page.getByRole('table', { name: 'What would change for whom' });
  await page.getByText(/Rights change for \d+ of \d+ active people/).waitFor();
  await effect.getByRole('row').filter({ hasText: 'decide (' }).first().waitFor();
  await screenshot(page, 'authority-effect-desktop');
  await expectAccessible(page, 'the effect of a policy');
  // A reviewer who holds a review may decide it until the second administrator publishes.
  const reference = await submit('submitter', (await drawInvoice(2_000)).path);
  const reviewId = await openReview(reference);
  await graphql(
    'junior',
    'mutation($id: ID!) { claimReview(input: {reviewId: $id}) { userErrors { __typename } } }',
    {
      id: reviewId,
    },
  );
  await expect.poll(() => mayDecide('junior', reviewId)).toBe(true);
  await page.getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('Reviewers no longer decide');
  await page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('Reviewers no longer decide').waitFor();
  await context.close();

  const second = await openPageAs('admin2');
  await second.page.goto('/admin/authority');
  const proposed = second.page.getByRole('table', { name: 'What would change for whom' });
  await proposed.getByRole('row').filter({ hasText: 'decide (' }).first().waitFor();
  await expectAccessible(second.page, 'the effect of a proposal');
  await screenshot(second.page, 'authority-proposal-effect-desktop');
  await expect.poll(() => mayDecide('junior', reviewId)).toBe(true);
  // The effect that was read is the one that is published.
  await graphql(
    'admin',
    `mutation { setLimit(input: {role: "reviewer_l1", amount: {amount: "400000.00", currency: "USD"}}) {
      userErrors { __typename } } }`,
  );
  await second.page.getByRole('button', { name: 'Publish', exact: true }).click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
  await second.page.getByText('What this would change for whom has changed').waitFor();
  await proposed.getByText('400,000.00 USD → none').first().waitFor();
  await expect.poll(() => mayDecide('junior', reviewId)).toBe(true);
  await second.page.getByRole('button', { name: 'Publish', exact: true }).click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
  await second.page.getByText('Reviewers no longer decide').waitFor({ state: 'detached' });
  await expect.poll(() => mayDecide('junior', reviewId)).toBe(false);
  await second.context.close();
});

test('a policy that names an unknown queue is published only after a confirmation that says so', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/admin/authority');
  await page.getByRole('button', { name: 'Edit policy' }).click();
  const text = textEditor(page, 'Policy rules');
  const rule =
    '{"name": "the lead decides in L9", "role": "payments_lead", "action": "decide", "object": "queue_review", "condition": "review.queue == \\"L9\\""},';
  await text.fill((await text.inputValue()).replace(/"rules": \[/, `"rules": [${rule}`));
  const sentence = /names the queue L9, in which there are no reviews yet/;
  await page.getByText(sentence).waitFor();
  await page.getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('A new queue');
  await page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('A new queue').waitFor();
  await context.close();

  const second = await openPageAs('admin2');
  await second.page.goto('/admin/authority');
  await second.page.getByRole('button', { name: 'Publish', exact: true }).click();
  const dialog = second.page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.getByText(/L9/).waitFor();
  await second.page.getByText('A new queue').waitFor();
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await second.page.getByText('A new queue').waitFor({ state: 'detached' });
  await second.context.close();
});

/** The id of the open review of the case. */
async function openReview(reference: string): Promise<string> {
  const { case: found } = await graphql<{ case: { reviews: { id: string; status: string }[] } }>(
    'auditor',
    'query($r: String!) { case(reference: $r) { reviews { id status } } }',
    { r: reference },
  );
  return found.reviews.find(({ status }) => status === 'OPEN')?.id ?? '';
}

async function mayDecide(who: Username, id: string): Promise<boolean> {
  const { explain } = await graphql<{ explain: { allowed: boolean } }>(
    who,
    'query($id: ID!) { explain(reviewId: $id, action: DECIDE) { allowed } }',
    { id },
  );
  return explain.allowed;
}

test('a user without access to permissions sees why', async () => {
  const { context, page } = await openPageAs('submitter', { size: sizes.phone });
  await page.goto('/admin/authority');
  await page.getByRole('alert').waitFor();
  await context.close();
});

test('roles, limits and the policy are accessible in every view', async () => {
  await inEveryView('admin', async (page, name) => {
    await page.goto('/admin/authority');
    await page.getByText('payments_lead').first().waitFor();
    await page.getByRole('combobox', { name: /Version|版本/ }).waitFor();
    await screenshot(page, `authority-${name}`);
    await expectAccessible(page, `authority ${name}`);
    await page.getByRole('region', { name: /Permissions by role|各角色的权限/ }).waitFor();
    await page.getByRole('button', { name: /^(claim|领取)[,，] ?payments_lead/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('combobox', { name: /Reviews in own queues|本人队列中的审核/ })
      .selectOption({ index: 2 });
    await screenshot(page, `authority-cell-${name}`);
    await expectAccessible(page, `a cell ${name}`);
    await dialog.getByRole('button', { name: /Cancel|取消/ }).click();
    await page.getByRole('button', { name: /Edit policy|编辑策略/ }).click();
    await page.getByRole('button', { name: /^(Propose|提议)/ }).waitFor();
    await screenshot(page, `authority-matrix-${name}`);
    await expectAccessible(page, `the matrix ${name}`);
  });
});
