import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { ask, desk, holds, type Look, paper, shot, signedIn, sizes, submit, terminal, type Who } from './world.ts';

afterAll(() => desk('/tesseract/works'));

const long = { timeout: 60_000 };
const longest = 'Gesellschaft für die Beschaffung außergewöhnlich umständlich benannter Büromaterialien '
  .repeat(4)
  .slice(0, 300);

async function idOf(reference: string): Promise<string> {
  const query = 'query($text: String!) { cases(first: 5, filter: { text: $text }) { nodes { id reference } } }';
  const { cases } = await ask<{ cases: { nodes: { id: string; reference: string }[] } }>('manager', query, {
    text: reference,
  });
  const found = cases.nodes.find((one) => one.reference === reference);
  if (found === undefined) throw new Error(`no case ${reference}`);
  return found.id;
}

/** Opens the page of a case in a new context, signed in as a person. */
async function opened(as: Who, reference: string, look: Look = {}) {
  const window = await signedIn(as, look);
  await window.page.goto(`/cases/${await idOf(reference)}`);
  await window.page.getByRole('heading', { level: 1, name: reference }).waitFor();
  return window;
}

/** A scan that the engine cannot read now; from here on it fails. */
async function failing(): Promise<string> {
  await desk('/tesseract/fails');
  return submit('submitter', (await paper(100, 'png')).path);
}

/** A button that cannot be pressed now says why in its name. */
const button = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) });

test('an incident is retried: amber until it has passed, told when it failed again', async () => {
  const reference = await failing();
  const { context, page } = await opened('submitter', reference);
  await page.getByRole('heading', { name: 'The text recognition failed.' }).waitFor();
  await shot(page, 'case-incident');
  await button(page, 'Retry').click();
  await page.getByRole('heading', { name: 'Retrying, not yet passed' }).waitFor();
  await shot(page, 'case-incident-amber');
  await page.getByRole('heading', { name: /^Failed again: The text recognition failed/ }).waitFor(long);
  await shot(page, 'case-incident-again');
  await holds(page, 'case failed again');
  // Nothing works on it, so nothing has passed: it stays amber.
  await desk('/tesseract/works');
  await desk('/worker/stop');
  await button(page, 'Retry').click();
  await page.getByRole('heading', { name: 'Retrying, not yet passed' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Retrying, not yet passed' }).waitFor();
  expect(await page.getByText('Resolved: the case continues').count()).toBe(0);
  await desk('/worker/start');
  await page.getByRole('heading', { name: 'Resolved: the case continues' }).waitFor(long);
  await page.getByText('Completed. There are no further steps.').waitFor(long);
  await shot(page, 'case-incident-passed');
  await context.close();
}, 150_000);

test('an incident is repaired by a file that can be read, also by one that goes in pieces', async () => {
  for (const [megabytes, look] of [
    [0, { size: sizes.phone }],
    [12, {}],
  ] as const) {
    const reference = await failing();
    const good = await paper(130);
    const path = join(dirname(good.path), `${good.invoice}-better-${megabytes}.pdf`);
    writeFileSync(path, Buffer.concat([readFileSync(good.path), Buffer.alloc(megabytes << 20, '%padding\n')]));
    const { context, page } = await opened('submitter', reference, look);
    let pieces = 0;
    page.on('request', (request) => {
      if (request.method() === 'PATCH' && request.url().includes('/uploads/')) pieces++;
    });
    await button(page, 'Replace the file').click();
    // Without a file it says what is missing.
    expect(await button(page, 'Submit this file').getAttribute('aria-disabled')).toBe('true');
    await page.locator('input[type="file"]').setInputFiles(path);
    await shot(page, `case-replace-${megabytes}`);
    await button(page, 'Submit this file').click();
    await page.getByRole('heading', { name: 'Resolved: the case continues' }).waitFor(long);
    await page.getByText('Completed. There are no further steps.').waitFor(long);
    await page.getByText(/Revision 2/).waitFor();
    expect(pieces > 0).toBe(megabytes > 0);
    await shot(page, `case-replaced-${megabytes}`);
    await context.close();
  }
}, 150_000);

test('an incident is repaired by entering the values', async () => {
  const reference = await failing();
  const { context, page } = await opened('submitter', reference);
  await button(page, 'Enter values by hand').click();
  expect(await button(page, 'Use these values').getAttribute('aria-disabled')).toBe('true');
  const field = (name: RegExp) => page.getByLabel(name).first();
  await field(/^Total/).fill('12,0x');
  await button(page, 'Use these values').click();
  await page.getByRole('alert').first().waitFor();
  await shot(page, 'case-enter-refused');
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
  await holds(page, 'case enter');
  await shot(page, 'case-enter');
  await button(page, 'Use these values').click();
  await page.getByRole('heading', { name: 'Resolved: the case continues' }).waitFor(long);
  await page.getByText('Typed by hand GmbH').first().waitFor();
  await page.getByText('entered by a person').first().waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await shot(page, 'case-entered');
  await context.close();
}, 120_000);

test('an incident is given up, with a reason', async () => {
  const reference = await failing();
  const { context, page } = await opened('submitter', reference);
  await button(page, 'Abandon case').click();
  expect(await button(page, 'Abandon case').getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('textbox', { name: 'Reason' }).fill('Sent by mistake');
  await shot(page, 'case-give-up');
  await button(page, 'Abandon case').click();
  await page.getByRole('heading', { name: 'Case abandoned' }).waitFor(long);
  await page.getByText('Completed. There are no further steps.').waitFor();
  await shot(page, 'case-given-up');
  await holds(page, 'case given up');
  await context.close();
});

/** Sends an invoice that a person has to look at; a senior colleague returns it with a question. */
async function returned(euros: number, asked = 'Which order is this for?'): Promise<string> {
  await desk('/tesseract/works');
  const reference = await submit('submitter', (await paper(euros)).path);
  for (const args of [
    ['claim', reference],
    ['decide', reference, 'return', '--reason', asked],
  ]) {
    const said = await terminal('senior', 'review', ...args);
    expect(said.code, said.all).toBe(0);
  }
  return reference;
}

test('a returned document is sent back in with an answer, and with another file', async () => {
  const answered = await returned(2_000);
  const { context, page } = await opened('submitter', answered);
  await page.getByText('Information requested. Answer and resubmit the document.').waitFor();
  await page.getByText('Which order is this for?').first().waitFor();
  expect(await button(page, 'Resubmit').getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('textbox', { name: 'Your answer' }).fill('For order 4711.');
  await shot(page, 'case-returned');
  await holds(page, 'case returned');
  await button(page, 'Resubmit').click();
  await page.getByText('The document is being reviewed.').waitFor(long);
  await page.getByText(/For order 4711/).waitFor();
  await shot(page, 'case-answered');
  const replaced = await returned(2_050);
  await page.goto(`/cases/${await idOf(replaced)}`);
  await page.getByRole('heading', { level: 1, name: replaced }).waitFor();
  await page.locator('input[type="file"]').setInputFiles((await paper(2_060)).path);
  await button(page, 'Resubmit').click();
  await page.getByText('The document is being reviewed.').waitFor(long);
  await page.getByText(/Revision 2/).waitFor();
  await shot(page, 'case-answered-file');
  await context.close();
}, 120_000);

test('several questions are answered one by one', async () => {
  const reference = await returned(2_070, '1. Which order is this for?\n2. Who ordered it?');
  const { context, page } = await opened('submitter', reference);
  await page.getByRole('textbox', { name: 'Which order is this for?' }).fill('4711');
  expect(await button(page, 'Resubmit').getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('textbox', { name: 'Who ordered it?' }).fill('Ms Lind, by telephone');
  await shot(page, 'case-returned-questions');
  await holds(page, 'case returned with questions');
  await button(page, 'Resubmit').click();
  await page.getByText('The document is being reviewed.').waitFor(long);
  await page.getByText(/1\. Which order is this for\?\s4711\s2\. Who ordered it\?\sMs Lind, by telephone/).waitFor();
  await shot(page, 'case-answered-questions');
  await context.close();
}, 120_000);

test('who can act is told to reviewers and never to submitters', async () => {
  await desk('/tesseract/works');
  const reference = await submit('submitter', (await paper(2_100)).path);
  const mine = await opened('submitter', reference);
  await mine.page.getByText('The document is being reviewed.').waitFor();
  expect(await mine.page.getByRole('main').textContent()).not.toMatch(/Can act now|of queue/);
  await mine.context.close();
  const theirs = await opened('junior', reference);
  await theirs.page.getByText(/Waiting for a reviewer of queue L1/).waitFor();
  await theirs.page.getByText(/Can act now: \S+/).waitFor();
  await theirs.page.getByText(/Due/).first().waitFor();
  // A colleague takes it: the sentence follows.
  expect((await terminal('senior', 'review', 'claim', reference)).code).toBe(0);
  await theirs.page.getByText(/is reviewing the document/).waitFor();
  await theirs.context.close();
});

test('an auditor verifies the chain on the page', async () => {
  const reference = await submit('submitter', (await paper(140)).path);
  const { context, page } = await opened('auditor', reference);
  await button(page, 'Verify').click();
  await page.getByText(/The chain is valid: \d+ entries, none changed/).waitFor();
  await shot(page, 'case-verified');
  await holds(page, 'case verified');
  await context.close();
});

test('a case that is not there, or not mine, is said to be none', async () => {
  const reference = await submit('submitter', (await paper(150)).path);
  const { context, page } = await signedIn('submitter2');
  for (const id of ['00000000-0000-7000-8000-000000000000', 'nonsense', await idOf(reference)]) {
    await page.goto(`/cases/${id}`);
    await page.getByText(/Case not found|This could not be loaded/).waitFor();
    expect(await page.getByText(reference).count()).toBe(0);
  }
  await holds(page, 'no case');
  await shot(page, 'case-none');
  await context.close();
});

const looks = Object.entries(sizes).flatMap(([name, size]) =>
  (['en-GB', 'zh-CN'] as const).flatMap((locale) =>
    (['light', 'dark'] as const).map((colorScheme) => ({
      look: { size, locale, colorScheme },
      name: `${name}-${locale}-${colorScheme}`,
    })),
  ),
);

test('cases hold at both widths, in both languages and appearances', async () => {
  await desk('/tesseract/works');
  const waiting = await submit('submitter', (await paper(2_200)).path);
  for (const args of [
    ['claim', waiting],
    ['correct', '--confirm', waiting, `vendor=${longest}`],
  ]) {
    const said = await terminal('senior', 'review', ...args);
    expect(said.code, said.all).toBe(0);
  }
  const incident = await failing();
  await desk('/tesseract/works');
  for (const { look, name } of looks) {
    const { context, page } = await opened('manager', waiting, look);
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await holds(page, `case ${name}`);
    await shot(page, `case-review-${name}`);
    await page.goto(`/cases/${await idOf(incident)}`);
    await page.getByRole('heading', { level: 1, name: incident }).waitFor();
    await holds(page, `case incident ${name}`);
    await shot(page, `case-incident-${name}`);
    await page.goto('/cases');
    await page.getByRole('link', { name: waiting }).filter({ visible: true }).first().waitFor();
    await holds(page, `cases ${name}`);
    await shot(page, `cases-${name}`);
    await context.close();
  }
}, 240_000);

test('the list of cases is searched, narrowed, and says when nothing matches', async () => {
  const { context, page } = await signedIn('submitter');
  const { path, invoice } = await paper(2_300);
  const reference = await submit('submitter', path);
  await page.goto('/cases');
  const found = page.getByRole('link', { name: reference }).filter({ visible: true });
  await found.waitFor();
  await page.getByRole('searchbox').fill(invoice);
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await found.waitFor();
  await page.getByLabel('Status').selectOption('archived');
  await page.getByText('No matches').waitFor();
  await holds(page, 'cases nothing');
  await shot(page, 'cases-nothing');
  await page.getByRole('link', { name: 'Show all cases' }).click();
  await found.waitFor();
  await context.close();
});
