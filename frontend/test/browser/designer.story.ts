// Two processes designed on the drawing, without a line of YAML, and published.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  choose,
  drawing,
  insert,
  leads,
  name,
  newProcess,
  openQueues,
  publish,
} from './designing.ts';
import {
  drawInvoice,
  expectAccessible,
  graphql,
  inEveryView,
  openPageAs,
  screenshot,
  submit,
  type Username,
} from './environment.ts';
import { act } from './reviews.ts';
import { textEditor } from './text-editor.ts';
import { desktop, viewed } from './views.ts';

/** Takes a free seat of the case and approves. */
async function approveAs(member: Username, reference: string): Promise<void> {
  const { case: found } = await graphql<{
    case: { reviews: { id: string; status: string }[] };
  }>(member, 'query($r: String!) { case(reference: $r) { reviews { id status } } }', {
    r: reference,
  });
  const seat = found.reviews.find(({ status }) => status === 'OPEN');
  await act(member, 'claimReview', { reviewId: seat?.id });
  await act(member, 'decideReview', { reviewId: seat?.id, decision: 'APPROVE', reason: 'checked' });
}

/** Photographs the process of a running case. */
async function photographCase(reference: string, name: string): Promise<void> {
  const { context, page } = await openPageAs('auditor', { size: desktop });
  await page.goto(`/cases/${reference}`);
  await page.getByRole('button', { name: 'Show process' }).click();
  await page.locator('[data-node="start"]').waitFor();
  await page.addStyleTag({ content: '[class*="frame"] { max-height: none !important; }' });
  await screenshot(page, name);
  await context.close();
}

test('expenses go by department to a manager or to a committee of three of five', async () => {
  const { context, page } = await openPageAs('admin', { size: desktop });
  await newProcess(page, 'expense_report', 'Expense report', '费用报销');
  await viewed(page, 'design-start');
  // The review of the template becomes the committee.
  await choose(page, 'Review');
  await name(page, 'Committee', '委员会');
  await page.getByLabel('Queue', { exact: true }).selectOption('L1');
  await page.getByLabel('Reviewers asked').fill('5');
  await page.getByLabel('Approvals or votes needed (default: all)').fill('3');
  await page.getByLabel('Decided by').selectOption({ label: 'Majority of the votes cast' });
  await page.getByLabel('Members can abstain').check();
  await page.getByLabel('Queue of the chair, whose vote breaks a tie').selectOption('L2');
  await viewed(page, 'design-committee');
  await page.getByLabel('Queue of the chair, whose vote breaks a tie').selectOption({ label: '–' });
  await page.getByLabel('Members can abstain').uncheck();
  await page.getByLabel('Decided by').selectOption({ label: 'Approvals; one rejection rejects' });
  await page.getByText('Members can abstain').waitFor({ state: 'detached' });
  // Before it, the department decides.
  await choose(page, 'Validate fields');
  await insert(page, 'Then go to', 'Either/or');
  await page.getByRole('heading', { name: 'Either/or: Which way?' }).waitFor();
  await name(page, 'Which department?', '哪个部门？');
  await page.getByRole('button', { name: 'Add a branch' }).click();
  await page.getByLabel('Fact').selectOption({ label: 'Field of the document' });
  await page.getByLabel('Value').fill('sales');
  await page.getByRole('button', { name: 'Add a comparison' }).click();
  await page.getByLabel('Fact').nth(1).selectOption({ label: 'Amount at risk' });
  await page.getByLabel('Relation').nth(1).selectOption({ label: 'is below' });
  await page.getByLabel('Amount, USD').fill('50,000.00');
  await insert(page, 'Branch 1: then go to', 'Review');
  await page.getByRole('heading', { name: 'Review: Review' }).waitFor();
  await name(page, 'Review by the manager', '经理审核');
  await page.getByLabel('Queue', { exact: true }).selectOption('L2');
  await leads(page, 'When approved, go to', 'Archive');
  await page.getByText(/^Valid:/).waitFor();
  await viewed(page, 'design-expenses');
  const text = await publish(page, 'expense_report');
  expect(text).toContain(
    '("department" in fields ? fields["department"] : "") == "sales" && (amount_known && base_minor < 5000000)',
  );
  expect(text).toMatch(/title: \{en: Committee, zh: 委员会\}\n {4}queue: L1\n {4}level: 1\n/);
  const reference = await submit(
    'submitter',
    (await drawInvoice(2_000)).path,
    '--process',
    'expense_report',
  );
  await expect.poll(() => openQueues(reference)).toEqual(['L1', 'L1', 'L1', 'L1', 'L1']);
  await photographCase(reference, 'design-expenses-running');
  await context.close();
});

test('expenses of a stated department are decided by three of a committee of five', async () => {
  const { context, page } = await openPageAs('admin', { size: desktop });
  await newProcess(page, 'department_expense', 'Expense by department', '部门费用');
  await page.getByRole('button', { name: 'Add an attribute' }).click();
  await page.getByLabel('Name of the attribute').fill('department');
  await page.getByLabel('Type', { exact: true }).selectOption('choice');
  await page.getByLabel('Label in English').fill('Department');
  await page.getByLabel('Label in Chinese').fill('部门');
  await page.getByLabel('Choices, one per line').fill('sales, Sales, 销售\nfinance, Finance, 财务');
  await page.getByLabel('Label in English').click();
  await viewed(page, 'design-attributes');
  await choose(page, 'Validate fields');
  await insert(page, 'Then go to', 'Either/or');
  await page.getByRole('heading', { name: 'Either/or: Which way?' }).waitFor();
  await name(page, 'Which department?', '哪个部门？');
  await page.getByRole('button', { name: 'Add a branch' }).click();
  await page.getByLabel('Fact').selectOption({ label: 'Attribute of the submission' });
  await page.getByLabel('Value').selectOption('sales');
  await insert(page, 'Branch 1: then go to', 'Review');
  await page.getByRole('heading', { name: 'Review: Review' }).waitFor();
  await name(page, 'Committee of sales', '销售委员会');
  await page.getByLabel('Queue', { exact: true }).selectOption('L1');
  await page.getByLabel('Reviewers asked').fill('5');
  await page.getByLabel('Approvals or votes needed (default: all)').fill('3');
  await leads(page, 'When approved, go to', 'Archive');
  const text = await publish(page, 'department_expense');
  expect(text).toContain('attributes.department == "sales"');
  await context.close();

  const submitter = await openPageAs('submitter', { size: desktop });
  await submitter.page.goto('/intake');
  await submitter.page.getByLabel('Process', { exact: true }).selectOption('department_expense');
  await submitter.page.getByText('Complete what the process asks for first.').waitFor();
  await submitter.page.getByLabel('Department').selectOption('sales');
  await expectAccessible(submitter.page, 'the attributes of a submission');
  await viewed(submitter.page, 'intake-attributes');
  const { path } = await drawInvoice(40);
  await submitter.page.getByLabel('Choose files or drop them here').last().setInputFiles(path);
  const opened = submitter.page.getByRole('link', { name: /^Open CS-/ }).first();
  await opened.waitFor({ timeout: 60_000 });
  const reference = /CS-[0-9-]+/.exec((await opened.textContent()) ?? '')?.[0] ?? '';
  await submitter.context.close();
  await expect.poll(() => openQueues(reference)).toEqual(['L1', 'L1', 'L1', 'L1', 'L1']);
  for (const member of ['junior', 'senior', 'manager'] as const) await approveAs(member, reference);
  const status = () =>
    graphql<{ case: { status: string } }>(
      'auditor',
      'query($r: String!) { case(reference: $r) { status } }',
      { r: reference },
    ).then((answer) => answer.case.status);
  await expect.poll(status).toMatch(/APPROVED|ARCHIVED/);
});

test('a loan is checked by two reviewers at the same time; after a day a manager takes over', async () => {
  const { context, page } = await openPageAs('admin', { size: desktop });
  await newProcess(page, 'loan', 'Loan', '贷款');
  await choose(page, 'Validate fields');
  await insert(page, 'Then go to', 'Two parallel reviews');
  await page.getByRole('heading', { name: 'Parallel: At the same time' }).waitFor();
  await choose(page, 'Review 1');
  await name(page, 'KYC review', '客户身份审核');
  await page.getByLabel('Queue', { exact: true }).selectOption('AML');
  await page.getByLabel('Escalate to').selectOption({ label: 'Cannot be escalated' });
  await choose(page, 'Review 2');
  await name(page, 'Credit review', '授信审核');
  await page.getByRole('button', { name: 'Add a time limit' }).click();
  await leads(page, 'When the time is over, go to', 'Both finished');
  await insert(page, 'When the time is over, go to', 'Review');
  await page.getByRole('heading', { name: 'Review: Review', exact: true }).waitFor();
  await name(page, 'Credit review by a manager', '经理授信审核');
  await page.getByLabel('Queue', { exact: true }).selectOption('L2');
  await leads(page, 'When approved, go to', 'Both finished');
  // Two routes of one branch lead to the join, and a rejection leaves the other review open.
  await drawing(page)
    .getByText(/^\d+ errors?$/)
    .waitFor();
  await page
    .getByRole('list', { name: 'Errors of the process' })
    .getByRole('button')
    .first()
    .click();
  await page.locator('[data-fault]').waitFor();
  await viewed(page, 'design-loan-unsound');
  await choose(page, 'Credit review by a manager');
  await page.getByLabel('Cancel other open work: When rejected, go to').check();
  await insert(page, 'When approved, go to', 'Join');
  await page.getByRole('heading', { name: 'Either/or: Routes meet' }).waitFor();
  await choose(page, 'Credit review');
  await leads(page, 'When approved, go to', 'Routes meet');
  await page.getByText(/^Valid:/).waitFor();
  // A made-up case is taken through the text before it is proposed.
  const trial = page.getByRole('region', { name: 'Try a case' });
  await trial.getByLabel('Amount').fill('3,000.00');
  await trial.getByLabel('Fields of the document').fill('vendor = Kiefer');
  await trial.getByRole('button', { name: 'Show the route' }).click();
  await trial
    .getByText('Reviews: KYC review (queue AML), Credit review (queue L1), Review (queue L1).')
    .waitFor();
  await expect
    .poll(() => page.locator('[data-node][data-state="done"]').count())
    .toBeGreaterThan(8);
  await viewed(page, 'design-loan');
  const text = await publish(page, 'loan');
  expect(text).toMatch(/timeout:\n? *\{?after: 24h/);
  const reference = await submit('submitter', (await drawInvoice(3_000)).path, '--process', 'loan');
  await expect.poll(() => openQueues(reference)).toEqual(['AML', 'L1']);
  await photographCase(reference, 'design-loan-running');
  await context.close();
});

test('a file is imported, edited on the drawing, a step renamed, and all of it undone step by step', async () => {
  const { context, page } = await openPageAs('admin', { size: desktop });
  await page.goto('/definitions/new/edit');
  await drawing(page).waitFor();
  const text = textEditor(page, 'Process text');
  const template = await text.inputValue();
  await page.locator('section:has(#bpmn) input[type=file]').setInputFiles({
    name: 'plain.bpmn',
    mimeType: 'application/xml',
    buffer: readFileSync(join(import.meta.dirname, '../../../bpmn/testdata/plain.bpmn')),
  });
  await page.getByText('plain.bpmn is now the text in the editor.').waitFor();
  const imported = await text.inputValue();
  expect(imported).not.toBe(template);
  await drawing(page)
    .getByRole('button', { name: /^Edit step / })
    .nth(1)
    .click();
  await page.getByLabel('Name in English', { exact: true }).fill('Another name');
  const edited = await text.inputValue();
  const id = page.getByLabel('Id', { exact: true });
  const old = await id.inputValue();
  await id.fill('Not an id');
  await page.getByText('Use lower-case letters, digits and underscores').waitFor();
  await id.fill('renamed_step');
  await page.getByText('Running cases stay on their version.').waitFor();
  await expectAccessible(page, 'a rename');
  await page.getByRole('button', { name: 'Rename' }).click();
  const renamed = await text.inputValue();
  expect(renamed).toContain('id: renamed_step');
  expect(renamed).not.toMatch(
    new RegExp(`(id|next|to|approve|reject|return|default): ${old}$`, 'm'),
  );
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  for (const expected of [edited, imported, template]) {
    await undo.click();
    await expect.poll(() => text.inputValue()).toBe(expected);
  }
  await context.close();
});

test('a change is undone, proposed, and seen on the drawing by the second administrator', async () => {
  const { context, page } = await openPageAs('admin', { size: desktop });
  await page.goto('/definitions/document_approval/edit');
  const text = textEditor(page, 'Process text');
  const before = await text.inputValue();
  await choose(page, 'Assess risk');
  await page.getByRole('button', { name: 'Remove step' }).click();
  await page.getByText('Removed: Assess risk').waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(() => text.inputValue()).toBe(before);
  // The second administrator sees on the drawing what a proposal changes.
  await choose(page, 'Review');
  await page.getByLabel('Decide within', { exact: true }).fill('12');
  await page.getByLabel('Remind before a deadline (default: never)', { exact: true }).fill('4');
  await page.getByLabel('Second reminder', { exact: true }).fill('1');
  await expect.poll(() => text.inputValue()).toContain('remind: [4h, 1h]');
  await page.getByText(/^Valid:/).waitFor();
  await page.getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('heading', { name: 'Proposals' }).waitFor();
  const second = await openPageAs('admin2', { size: desktop });
  await second.page.goto('/definitions/document_approval');
  const proposals = second.page.getByRole('region', { name: 'Proposals' });
  await proposals.getByText('Diagram', { exact: true }).click();
  await proposals.locator('[data-node="review_l1"][data-change="changed"]').waitFor();
  await expect.poll(() => proposals.locator('[data-change]').count()).toBe(1);
  await viewed(second.page, 'design-proposal');
  await second.context.close();
  await context.close();
  await inEveryView('admin', async (view, label) => {
    await view.goto('/definitions/document_approval/edit');
    await view.locator('[data-node="review_l1"] button').click();
    await view.locator('[data-node="review_l1"][data-selected]').waitFor();
    await expectAccessible(view, label);
    await screenshot(view, `design-${label}`);
  });
});
