import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { drawInvoice, graphql, makeHistory, openPageAs, submit } from './environment.ts';
import { act, reviewOf } from './reviews.ts';

/** The text of the printed page, and how many pages it has. */
async function printed(page: Page): Promise<{ text: string; pages: number; flowing: string }> {
  const input = await page.pdf({ format: 'A4', printBackground: false });
  const text = execFileSync('pdftotext', ['-layout', '-', '-'], { input }).toString();
  return { text, pages: text.split('\f').length - 1, flowing: text.replace(/\s+/g, ' ') };
}

/** The texts that are printed in another colour than black. */
const inks = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main p, main h1, main h2')].flatMap((one) => {
      const { color } = getComputedStyle(one);
      return color === 'rgb(0, 0, 0)' ? [] : [`${color} ${one.outerHTML}`];
    }),
  );

async function decided(): Promise<{ reference: string; id: string }> {
  const reference = await submit('submitter', (await drawInvoice(2_710)).path);
  const review = await reviewOf(reference);
  await act('manager', 'claimReview', { reviewId: review.id });
  const decision = { reviewId: review.id, decision: 'REJECT', reason: 'Printed reason' };
  await act('manager', 'decideReview', decision);
  const query = 'query($t: String) { cases(filter: {text: $t}) { nodes { id } } }';
  const { cases } = await graphql<{ cases: { nodes: { id: string }[] } }>('auditor', query, {
    t: reference,
  });
  return { reference, id: cases.nodes[0]?.id ?? '' };
}

for (const colorScheme of ['light', 'dark'] as const)
  test(`the case and its audit are printed whole and without controls, ${colorScheme}`, async () => {
    const { reference, id } = await decided();
    const { context, page } = await openPageAs('manager', { colorScheme });
    await page.goto(`/cases/${reference}`);
    await page.getByRole('heading', { level: 1, name: reference }).waitFor();
    await page.getByRole('button', { name: /^Show all/ }).waitFor();
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    await expect.poll(() => page.getByRole('textbox').filter({ visible: true }).count()).toBe(0);
    if (colorScheme === 'dark') await expect.poll(() => inks(page)).toEqual([]);
    // The events that the screen hides are printed too.
    const earlier = page.locator('li[data-earlier]');
    const hidden = await earlier.count();
    expect(hidden).toBeGreaterThan(0);
    await expect.poll(() => earlier.filter({ visible: true }).count()).toBe(hidden);
    const onPaper = await printed(page);
    for (const part of [reference, 'Values', 'Findings', 'Printed reason'])
      expect(onPaper.flowing).toContain(part);
    for (const control of ['Show all (', 'Sign out', 'Add note', 'My queue'])
      expect(onPaper.text).not.toContain(control);
    expect(onPaper.pages).toBeLessThan(7);

    await page.emulateMedia({ media: 'screen' });
    await page.goto(`/audit/${id}`);
    const trail = page.getByRole('list', { name: 'Audit log' });
    await trail.waitFor();
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    const entries = await trail.getByRole('listitem').count();
    const audit = await printed(page);
    const numbers = audit.text.match(/Event \d+/g) ?? [];
    expect(numbers.length).toBeGreaterThan(5);
    expect(entries).toBeGreaterThanOrEqual(numbers.length);
    expect(audit.text).toContain(reference);
    expect(audit.text).not.toContain('My queue');
    // The first page is not left empty by a list that does not fit on it.
    expect(audit.text.split('\f')[0]).toMatch(/Event \d+/);
    await context.close();
  });

test('Print all entries loads the whole audit log before it prints', async () => {
  const { id } = await decided();
  // Each read of the log adds an entry to it; a page of it has 200.
  const read = '($id: ID!) { auditTrail(caseId: $id, first: 1) { nodes { at } } }';
  for (let reads = 0; reads < 210; reads += 10)
    await Promise.all(Array.from({ length: 10 }, () => graphql('auditor', `query${read}`, { id })));
  const { context, page } = await openPageAs('auditor');
  // The texts of the page at each call of the browser's print dialog.
  await page.addInitScript(() => {
    const texts: string[] = [];
    Object.assign(globalThis, { texts });
    window.print = () => texts.push(document.body.textContent ?? '');
  });
  await page.goto(`/audit/${id}`);
  await page.getByText('All (200+)').waitFor();
  await page.getByRole('button', { name: 'Print all entries' }).click();
  const texts = () => page.evaluate(() => (globalThis as unknown as { texts: string[] }).texts);
  await expect.poll(async () => (await texts()).length).toBe(1);
  const [text] = await texts();
  expect(Number(/All \((\d+)\)/.exec(text ?? '')?.[1])).toBeGreaterThan(210);
  expect(text).not.toContain('Only the first');
  await context.close();
});

test('all rows of a list that were read are printed, also those outside of the window', async () => {
  await makeHistory({ cases: 300 });
  const { context, page } = await openPageAs('auditor');
  await page.goto('/cases');
  await page.locator('[data-row]').first().waitFor();
  await page.getByRole('button', { name: 'Show more', exact: true }).click();
  const table = page.getByRole('table');
  const last = () => table.locator('[data-index]').last().getAttribute('data-index').then(Number);
  await expect.poll(last).toBeGreaterThanOrEqual(99);
  const rows = (await last()) + 1;
  await expect.poll(() => table.locator('[data-row]').count()).toBeLessThan(60);
  const { text } = await printed(page);
  const references = new Set(text.match(/(MH|CS)-[\w-]+/g));
  expect(references.size).toBeGreaterThanOrEqual(rows);
  await expect.poll(() => table.locator('[data-row]').count()).toBeLessThan(60);
  await context.close();
}, 240_000);
