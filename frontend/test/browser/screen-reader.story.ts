// Submitting, reviewing and reassigning by what a screen reader speaks, read by headings, landmarks and
// controls. The transcripts are printed.
import { expect, test } from 'vitest';
import { drawInvoice, graphql, openPageAs } from './environment.ts';
import { nameOf } from './intake-page.ts';
import { act, openReview, waitingReview } from './reviews.ts';
import { ScreenReader } from './screen-reader.ts';
import { faultsOf } from './spoken.ts';
import { desktop } from './views.ts';

test('a document is submitted and followed', async () => {
  const { path } = await drawInvoice(3_700);
  const { context, page } = await openPageAs('submitter', { size: desktop });
  const reader = await ScreenReader.of(page);
  await reader.open('/intake');
  await reader.arrives(/^heading level 1, Submit documents$/);
  await expect.poll(() => page.title()).toBe('Submit documents · Countersign');
  await reader.reads(
    /^Each file becomes its own case/,
    /^Process, combo box/,
    /^Choose files or drop them here, button, PDF/,
    /^Details you already know \(optional\), disclosure, collapsed$/,
  );
  reader.top();
  const chooser = page.waitForEvent('filechooser');
  await reader.next('landmark', /^$/); // the header
  await reader.next('landmark', /^Main$/);
  await reader.next('button', /^Choose files/);
  await reader.activate();
  await (await chooser).setFiles(path);
  await reader.heard(/^1 of 1 file received/);
  await reader.heard(new RegExp(`^${nameOf(path)}: Waiting for a decision`));
  await reader.next('heading', /^Current uploads$/);
  await reader.next('list', /^Progress$/);
  await reader.reads(
    /^Uploaded$/,
    /^done$/,
    /^Review$/,
    /^in progress$/,
    /^Archived$/,
    /Waiting for a decision/,
    /^Open CS-\S+, link$/,
  );
  reader.top();
  await reader.next('heading', /^Current uploads$/);
  const open = await reader.next('link', /^Open CS-/);
  await reader.activate();
  const reference = open.name.replace('Open ', '');
  await reader.arrives(new RegExp(`^heading level 1, ${reference}$`));
  await expect.poll(() => page.title()).toBe(`${reference} · Case · Countersign`);
  reader.print('Submit a document');
  await context.close();
});

test('a review is claimed, corrected and approved', async () => {
  const review = await waitingReview(6_800);
  const { context, page } = await openPageAs('junior', { size: desktop });
  const reader = await ScreenReader.of(page);
  await reader.open('/queue');
  await reader.arrives(/^heading level 1, My queue$/);
  await reader.next('list', /^Reviews$/);
  const link = await reader.next('link', new RegExp(review.case.reference));
  const name = link.name.replace(review.case.reference, '').trim();
  await reader.activate();
  await reader.arrives(new RegExp(`^heading level 1, ${name}$`));
  await expect.poll(() => page.title()).toBe(`${review.case.reference} · Review · Countersign`);
  await reader.next('button', /^Claim$/);
  await reader.activate();
  await reader.heard(/You are working on this review/);
  await reader.arrives(/^heading level 2, Findings$/);
  await reader.reads(/No findings/, /^Fields, region landmark$/);
  await reader.next('edit', /^Date/);
  await reader.write('tomorrow');
  await expect
    .poll(() => reader.now())
    .toMatch(
      /^Date \(required\), edit, invalid entry, tomorrow, Enter a date like 2026-11-30\. Before: /,
    );
  await reader.activate();
  await reader.heard(/is not a valid date/);
  await reader.write('2026-11-20');
  await expect.poll(() => reader.now()).toMatch(/^Date \(required\), edit, 2026-11-20, Before: /);
  await reader.activate();
  await reader.heard(/^Your values are saved/);
  await reader.next('edit', /^Total/);
  await expect.poll(() => reader.now()).toMatch(/^Total \(required\), edit, [\d,.]+, EUR/);
  await reader.next('landmark', /^Decision$/);
  await reader.next('button', /^Approve$/);
  await reader.activate();
  await reader.arrives(/^Approve, button$/);
  reader.top();
  await reader.reads(/^Approve this document\?, dialog/);
  await reader.next('heading', /^Approve this document\?$/);
  await reader.reads(
    new RegExp(`^${name}$`),
    /^The case is then archived as approved\. This cannot be undone\.$/,
    /^Cancel, button$/,
    /^Approve, button$/,
  );
  await page.keyboard.press('Escape');
  await reader.arrives(/^Approve, button/);
  await reader.activate();
  await reader.arrives(/^Approve, button$/);
  await reader.activate();
  await reader.heard(/^Decided by you: Approved/);
  await reader.arrives(new RegExp(`^heading level 1, ${name}$`));
  reader.print('Review a document');
  await context.close();
});

test('a value that another person changes is announced', async () => {
  const review = await waitingReview(6_900);
  const { context, page } = await openPageAs('junior', { size: desktop });
  const reader = await ScreenReader.of(page);
  await openReview(page, review);
  await reader.next('button', /^Claim$/);
  await reader.activate();
  await reader.heard(/You are working on this review/);
  await reader.next('edit', /^Number/);
  await reader.write('MINE-1');
  const fields = [{ name: 'number', value: 'THEIRS-1' }];
  await act('junior', 'correctFields', { reviewId: review.id, fields, confirm: true });
  await reader.arrives(/^heading level 2, /);
  await reader.reads(
    /^You changed values in another window\.$/,
    /^Number$/,
    /MINE-1/,
    /THEIRS-1/,
    /button$/,
  );
  reader.print('Another person changes a value');
  await context.close();
});

test('a review is reassigned', async () => {
  const review = await waitingReview(7_100);
  const { context, page } = await openPageAs('manager', { size: desktop });
  const reader = await ScreenReader.of(page);
  await reader.open('/manage');
  await reader.arrives(/^heading level 1, Workload$/);
  await reader.next('table', /^Reviews$/);
  await reader.next('checkbox', new RegExp(`^Select ${review.case.reference}`));
  await reader.reads(
    new RegExp(`^Case: ${review.case.reference}, link`),
    /^Amount: /,
    /^Queue: L1$/,
    /^Assignee: Unassigned$/,
    /^Due: /,
  );
  reader.top();
  await reader.next('checkbox', new RegExp(`^Select ${review.case.reference}`));
  await reader.activate('Space');
  await reader.heard(/^1 selected/);
  await reader.next('button', /^Reassign…$/);
  await reader.activate();
  await reader.arrives(/^Reason, edit, required, blank$/);
  reader.top();
  await reader.next('heading', /^Reassign 1 review$/);
  const senior = await reader.next('radio', /^senior$/);
  expect(senior.text).toMatch(/^senior, radio button, not checked, \d+ open review/);
  await reader.activate('Space');
  await reader.heard(/senior\s*0 now, 1 afterwards/);
  await reader.next('edit', /^Reason$/);
  await reader.write('On leave until Monday');
  const send = await reader.next('button', /^Reassign 1 review$/);
  expect(send.text).toMatch(/^Reassign 1 review, button/);
  await reader.activate();
  await reader.heard(/^1 review reassigned/);
  await expect.poll(() => reader.focused()).not.toBeNull();
  const { review: after } = await graphql<{ review: { assignee: { name: string } | null } }>(
    'manager',
    'query($id: ID!) { review(id: $id) { assignee { name } } }',
    { id: review.id },
  );
  expect(after.assignee?.name).toBe('senior');
  reader.print('Reassign a review');
  await context.close();
});

test('nothing is spoken without a name or twice, in both languages', async () => {
  const review = await waitingReview(7_200);
  for (const locale of ['en-GB', 'zh-CN'] as const) {
    for (const [as, path] of [
      ['submitter', '/intake'],
      ['junior', '/queue'],
      ['junior', `/reviews/${review.id}`],
      ['submitter', `/cases/${review.case.reference}`],
      ['manager', '/manage'],
    ] as const) {
      const { context, page } = await openPageAs(as, { size: desktop, locale });
      const reader = await ScreenReader.of(page);
      await reader.open(path);
      await reader.arrives(/^heading level 1, /);
      await page.getByText(review.case.reference).first().waitFor();
      let faults: string[] = [];
      await expect
        .poll(async () => {
          faults = faultsOf(await reader.phrases());
          return faults.length;
        })
        .toBe(0)
        .catch(() => expect(faults, `${path} ${locale}`).toEqual([]));
      await context.close();
    }
  }
});
