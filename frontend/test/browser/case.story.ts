import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import {
  control,
  drawInvoice,
  expectAccessible,
  graphql,
  inEveryView,
  openPageAs,
  runCLI,
  screenshot,
  sizes,
  submit,
  type Username,
  type WindowOptions,
} from './environment.ts';

afterAll(() => control('/tesseract/works'));

const long = { timeout: 120_000 };
const longest =
  'Gesellschaft für die Beschaffung außergewöhnlich umständlich benannter Büromaterialien '
    .repeat(4)
    .slice(0, 300);

async function idOf(reference: string): Promise<string> {
  const query =
    'query($text: String!) { cases(first: 5, filter: { text: $text }) { nodes { id reference } } }';
  const { cases } = await graphql<{ cases: { nodes: { id: string; reference: string }[] } }>(
    'manager',
    query,
    {
      text: reference,
    },
  );
  const found = cases.nodes.find((one) => one.reference === reference);
  if (found === undefined) throw new Error(`no case ${reference}`);
  return found.id;
}

/** Opens the page of a case in a new context, signed in as a person. */
async function opened(as: Username, reference: string, look: WindowOptions = {}) {
  const window = await openPageAs(as, look);
  await window.page.goto(`/cases/${await idOf(reference)}`);
  await window.page.getByRole('heading', { level: 1, name: reference }).waitFor();
  return window;
}

/** A scan that the engine cannot read now; from here on it fails. */
async function failing(): Promise<string> {
  await control('/tesseract/fails');
  return submit('submitter', (await drawInvoice(100, 'png')).path);
}

/** A button that cannot be pressed now says why in its name. */
const button = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`^${name}`) });

test('an incident is retried: amber until it has passed, with a message when it failed again', async () => {
  const reference = await failing();
  const { context, page } = await opened('submitter', reference);
  await page.getByRole('heading', { name: 'The text recognition failed.' }).waitFor();
  await screenshot(page, 'case-incident');
  // The worker would fail again before a slow page shows that it tries.
  await control('/worker/stop');
  await button(page, 'Retry').click();
  await page.getByRole('heading', { name: 'Retrying, not yet passed' }).waitFor();
  await screenshot(page, 'case-incident-amber');
  await control('/worker/start');
  await page
    .getByRole('heading', { name: /^Failed again: The text recognition failed/ })
    .waitFor(long);
  await screenshot(page, 'case-incident-again');
  await expectAccessible(page, 'case failed again');
  // Nothing works on it, so nothing has passed: it stays amber.
  await control('/tesseract/works');
  await control('/worker/stop');
  await button(page, 'Retry').click();
  await page.getByRole('heading', { name: 'Retrying, not yet passed' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Retrying, not yet passed' }).waitFor();
  await expect.poll(() => page.getByText('Resolved: the case continues').count()).toBe(0);
  await control('/worker/start');
  await page.getByRole('heading', { name: 'Resolved: the case continues' }).waitFor(long);
  await page.getByText('Completed. There are no further steps.').waitFor(long);
  await screenshot(page, 'case-incident-passed');
  await context.close();
});

test('an incident is repaired with a readable file, also with one that is uploaded in chunks', async () => {
  for (const [megabytes, look] of [
    [0, { size: sizes.phone }],
    [12, {}],
  ] as const) {
    const reference = await failing();
    // The numbers of a text layer are compared with what the engine sees.
    await control('/tesseract/works');
    const good = await drawInvoice(130);
    const path = join(dirname(good.path), `${good.invoice}-better-${megabytes}.pdf`);
    writeFileSync(
      path,
      Buffer.concat([readFileSync(good.path), Buffer.alloc(megabytes << 20, '%padding\n')]),
    );
    const { context, page } = await opened('submitter', reference, look);
    let pieces = 0;
    page.on('request', (request) => {
      if (request.method() === 'PATCH' && request.url().includes('/uploads/')) pieces++;
    });
    await button(page, 'Replace the file').click();
    // Without a file it says what is missing.
    await expect
      .poll(() => button(page, 'Submit this file').getAttribute('aria-disabled'))
      .toBe('true');
    await page.getByLabel('Choose another file').setInputFiles(path);
    await screenshot(page, `case-replace-${megabytes}`);
    await button(page, 'Submit this file').click();
    await page.getByRole('heading', { name: 'Resolved: the case continues' }).waitFor(long);
    await page.getByText('Completed. There are no further steps.').waitFor(long);
    await page.getByText(/Revision 2/).waitFor();
    expect(pieces > 0).toBe(megabytes > 0);
    // Only the revision that was read has an archive copy.
    const copies = page.getByRole('link', { name: /^Archive copy/ });
    await copies.first().waitFor(long);
    await expect.poll(() => copies.count()).toBe(1);
    const copy = await page.request.get((await copies.getAttribute('href')) ?? '');
    expect((await copy.body()).subarray(0, 9).toString()).toBe('%PDF-1.7\n');
    await expectAccessible(page, 'case with an archive copy');
    await screenshot(page, `case-replaced-${megabytes}`);
    await context.close();
  }
});

test('an incident is repaired by entering the values', async () => {
  const reference = await failing();
  const { context, page } = await opened('submitter', reference);
  await button(page, 'Enter values by hand').click();
  await expect
    .poll(() => button(page, 'Use these values').getAttribute('aria-disabled'))
    .toBe('true');
  const field = (name: RegExp) => page.getByLabel(name).first();
  await field(/^Total/).fill('12,0x');
  await button(page, 'Use these values').click();
  await page.getByRole('alert').first().waitFor();
  await screenshot(page, 'case-enter-refused');
  const values: [RegExp, string][] = [
    [/^Vendor/, 'Typed by hand GmbH'],
    [/^Number/, 'HAND-1'],
    [/^Date/, '2026-11-01'],
    [/^Due date/, '2026-12-01'],
    [/^Currency/, 'EUR'],
    [/^Net amount/, '100.00'],
    [/^Tax/, '20.00'],
    [/^Total/, '120.00'],
  ];
  for (const [name, value] of values) await field(name).fill(value);
  await expectAccessible(page, 'case enter');
  await screenshot(page, 'case-enter');
  await button(page, 'Use these values').click();
  await page.getByRole('heading', { name: 'Resolved: the case continues' }).waitFor(long);
  await page.getByText('Typed by hand GmbH').first().waitFor();
  await page.getByText('entered or confirmed by a person').first().waitFor();
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  await screenshot(page, 'case-entered');
  await context.close();
});

test('a case with an incident is abandoned, with a reason', async () => {
  const reference = await failing();
  const { context, page } = await opened('submitter', reference);
  await button(page, 'Abandon case').click();
  await expect.poll(() => button(page, 'Abandon case').getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('textbox', { name: 'Reason' }).fill('Sent by mistake');
  await screenshot(page, 'case-give-up');
  await button(page, 'Abandon case').click();
  await page.getByRole('heading', { name: 'Case abandoned' }).waitFor(long);
  await page.getByText('Completed. There are no further steps.').waitFor();
  await screenshot(page, 'case-given-up');
  await expectAccessible(page, 'case given up');
  await context.close();
});

/** Sends an invoice that a person has to look at; a senior colleague returns it with a question. */
async function returned(euros: number, asked = 'Which order is this for?'): Promise<string> {
  await control('/tesseract/works');
  const reference = await submit('submitter', (await drawInvoice(euros)).path);
  for (const args of [
    ['claim', reference],
    ['decide', reference, 'return', '--reason', asked],
  ]) {
    const said = await runCLI('senior', 'review', ...args);
    expect(said.code, said.all).toBe(0);
  }
  return reference;
}

test('a returned document is resubmitted with an answer, and with another file', async () => {
  const answered = await returned(2_000);
  const { context, page } = await opened('submitter', answered);
  await page.getByText('Information requested. Answer and resubmit the document.').waitFor();
  await page.getByText('Which order is this for?').first().waitFor();
  await expect.poll(() => button(page, 'Resubmit').getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('textbox', { name: 'Your answer' }).fill('For order 4711.');
  await screenshot(page, 'case-returned');
  await expectAccessible(page, 'case returned');
  await button(page, 'Resubmit').click();
  await page.getByText('Waiting for a decision.').waitFor(long);
  await page.getByText(/For order 4711/).waitFor();
  await screenshot(page, 'case-answered');
  const replaced = await returned(2_050);
  await page.goto(`/cases/${await idOf(replaced)}`);
  await page.getByRole('heading', { level: 1, name: replaced }).waitFor();
  await page.getByLabel('Choose another file').setInputFiles((await drawInvoice(2_060)).path);
  await button(page, 'Resubmit').click();
  await page.getByText('Waiting for a decision.').waitFor(long);
  await page.getByText(/Revision 2/).waitFor();
  await screenshot(page, 'case-answered-file');
  await context.close();
});

test('several questions are answered one by one', async () => {
  const reference = await returned(2_070, '1. Which order is this for?\n2. Who ordered it?');
  const { context, page } = await opened('submitter', reference);
  await page.getByRole('textbox', { name: 'Which order is this for?' }).fill('4711');
  await expect.poll(() => button(page, 'Resubmit').getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('textbox', { name: 'Who ordered it?' }).fill('Ms Lind, by telephone');
  await screenshot(page, 'case-returned-questions');
  await expectAccessible(page, 'case returned with questions');
  await button(page, 'Resubmit').click();
  await page.getByText('Waiting for a decision.').waitFor(long);
  await page
    .getByText(/1\. Which order is this for\?\s4711\s2\. Who ordered it\?\sMs Lind, by telephone/)
    .waitFor();
  await screenshot(page, 'case-answered-questions');
  await context.close();
});

test('reviewers see who can act, submitters never do', async () => {
  await control('/tesseract/works');
  const reference = await submit('submitter', (await drawInvoice(2_100)).path);
  const mine = await opened('submitter', reference);
  await mine.page.getByText('Waiting for a decision.').waitFor();
  await expect
    .poll(() => mine.page.getByRole('main').textContent())
    .not.toMatch(/Can act now|of queue/);
  await mine.context.close();
  const theirs = await opened('junior', reference);
  await theirs.page.getByText(/Waiting for a reviewer of queue L1/).waitFor();
  await theirs.page.getByText(/Can act now: \S+/).waitFor();
  await theirs.page.getByText(/Due/).first().waitFor();
  // A colleague takes it: the sentence follows.
  expect((await runCLI('senior', 'review', 'claim', reference)).code).toBe(0);
  await theirs.page.getByText(/is reviewing the document/).waitFor();
  await theirs.context.close();
});

test('an auditor verifies the chain on the page', async () => {
  const reference = await submit('submitter', (await drawInvoice(140)).path);
  const { context, page } = await opened('auditor', reference);
  await button(page, 'Verify').click();
  await page.getByText(/The chain is valid: \d+ entries, none changed/).waitFor();
  await screenshot(page, 'case-verified');
  await expectAccessible(page, 'case verified');
  await context.close();
});

test('a missing case and a case of another submitter are both not found', async () => {
  const reference = await submit('submitter', (await drawInvoice(150)).path);
  const { context, page } = await openPageAs('submitter2');
  for (const id of ['00000000-0000-7000-8000-000000000000', 'nonsense', await idOf(reference)]) {
    await page.goto(`/cases/${id}`);
    await page.getByText(/Case not found|This could not be loaded/).waitFor();
    await expect.poll(() => page.getByText(reference).count()).toBe(0);
  }
  await expectAccessible(page, 'no case');
  await screenshot(page, 'case-none');
  await context.close();
});

test('cases are accessible at both widths, in both languages and appearances', async () => {
  await control('/tesseract/works');
  const waiting = await submit('submitter', (await drawInvoice(2_200)).path);
  for (const args of [
    ['claim', waiting],
    ['correct', '--confirm', waiting, `vendor=${longest}`],
  ]) {
    const said = await runCLI('senior', 'review', ...args);
    expect(said.code, said.all).toBe(0);
  }
  const incident = await failing();
  await control('/tesseract/works');
  await inEveryView('manager', async (page, name) => {
    await page.goto(`/cases/${await idOf(waiting)}`);
    await page.getByRole('heading', { level: 1, name: waiting }).waitFor();
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await expectAccessible(page, `case ${name}`);
    await screenshot(page, `case-review-${name}`);
    await page.goto(`/cases/${await idOf(incident)}`);
    await page.getByRole('heading', { level: 1, name: incident }).waitFor();
    await expectAccessible(page, `case incident ${name}`);
    await screenshot(page, `case-incident-${name}`);
    await page.goto('/cases');
    await page.getByRole('link', { name: waiting }).filter({ visible: true }).first().waitFor();
    await expectAccessible(page, `cases ${name}`);
    await screenshot(page, `cases-${name}`);
  });
});

test('the list of cases is searched, filtered, and says when nothing matches', async () => {
  const { context, page } = await openPageAs('submitter');
  const { path, invoice } = await drawInvoice(2_300);
  const reference = await submit('submitter', path);
  await page.goto('/cases');
  const found = page.getByRole('link', { name: reference }).filter({ visible: true });
  await found.waitFor();
  await page.getByRole('searchbox').fill(invoice);
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await found.waitFor();
  await page.getByLabel('Status').selectOption('archived');
  await page.getByText('No matches').waitFor();
  await expectAccessible(page, 'cases nothing');
  await screenshot(page, 'cases-nothing');
  await page.getByRole('link', { name: 'Show all cases' }).click();
  await found.waitFor();
  await context.close();
});

test('a legal hold is placed on the page of the case, and two administrators lift it', async () => {
  const reference = await submit('submitter', (await drawInvoice(100, 'pdf')).path);
  const { context, page } = await opened('admin', reference);
  const section = page.getByRole('region', { name: 'Retention and erasure' });
  await section.getByText('There is no legal hold.').waitFor(long);
  await section.getByRole('button', { name: 'Place a legal hold' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Court order 7 O 12/26');
  await dialog.getByRole('button', { name: 'Place a legal hold' }).click();
  await section.getByText('Legal hold: Court order 7 O 12/26').waitFor();
  await expectAccessible(page, 'a case with a legal hold');
  await screenshot(page, 'case-legal-hold-desktop');
  await section.getByRole('button', { name: 'Propose to lift' }).click();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Settled');
  await dialog.getByRole('button', { name: 'Propose to lift' }).click();
  await section.getByText('The proposal waits for another administrator').waitFor();

  const second = await openPageAs('admin2');
  await second.page.goto('/admin/controls');
  const change = second.page
    .getByRole('list', { name: 'Waiting for confirmation' })
    .getByRole('listitem')
    .filter({ hasText: `Lift the legal hold on ${reference}: Court order 7 O 12/26` });
  await change.getByRole('button', { name: 'Confirm' }).click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await change.waitFor({ state: 'detached' });
  await second.page.getByRole('heading', { name: 'Retention' }).waitFor();
  await screenshot(second.page, 'admin-retention-desktop');
  await second.context.close();
  await page.reload();
  await section.getByText('Lifted').waitFor();
  await context.close();

  // The submitter sees neither the hold nor that there was one.
  const submitter = await opened('submitter', reference);
  await expect.poll(() => submitter.page.getByText('Court order').count()).toBe(0);
  await submitter.context.close();
});
