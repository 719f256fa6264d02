// Submitting, reviewing and reassigning with the keyboard and what a screen reader announces alone.
import { expect, test } from 'vitest';
import { drawInvoice, graphql, openPageAs } from './environment.ts';
import { nameOf } from './intake-page.ts';
import { Listener } from './listener.ts';
import { waitingReview } from './reviews.ts';
import { desktop } from './views.ts';

test('a document is submitted, and its way is announced', async () => {
  const { path } = await drawInvoice(2_700);
  const { context, page } = await openPageAs('submitter', { size: desktop });
  const listener = await Listener.of(page);
  await page.goto('/intake');
  await page.getByRole('heading', { level: 1, name: 'Submit documents' }).waitFor();
  // Waiting for the dialog makes the browser report it instead of showing it, which takes a moment.
  const chooser = page.waitForEvent('filechooser');
  await listener.moveTo('button', /^Choose files/);
  await listener.press('Enter');
  await (await chooser).setFiles(path);
  await listener.heard(/1 of 1 files? received/);
  await listener.heard(new RegExp(`^${nameOf(path)}: Waiting for a decision`));
  await context.close();
});

test('a review is claimed, corrected and approved', async () => {
  const review = await waitingReview(2_800);
  const { context, page } = await openPageAs('junior', { size: desktop });
  const listener = await Listener.of(page);
  await page.goto('/queue');
  await page.getByText(review.case.reference).waitFor();
  await listener.moveTo('link', new RegExp(review.case.reference));
  await listener.press('Enter');
  await page.getByRole('heading', { name: 'Fields', exact: true }).waitFor();
  await listener.moveTo('button', /^Claim/);
  await listener.press('Enter');
  await listener.heard(/You are working on this review/);
  const number = await listener.moveTo('textbox', /^Number/);
  expect(number.name).toMatch(/Number/);
  const read = await page.locator('[data-field="number"]').inputValue();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(`${read.slice(0, -1)}Z`); // one character was misread
  await listener.press('Enter');
  await page.getByRole('button', { name: /^Save 1 correction/ }).waitFor({ state: 'detached' });
  await page.keyboard.press('a');
  await page.getByRole('dialog').waitFor();
  await expect
    .poll(() => listener.focused())
    .toMatchObject({
      role: 'button',
      name: expect.stringMatching(/^Approve/),
    });
  await listener.press('Enter');
  await listener.heard(/Decided by you: Approved/);
  await context.close();
});

test('a review is reassigned', async () => {
  const review = await waitingReview(2_900);
  const { context, page } = await openPageAs('manager', { size: desktop });
  const listener = await Listener.of(page);
  await page.goto('/manage');
  await page.getByText(review.case.reference).waitFor();
  await listener.moveTo('checkbox', new RegExp(`Select ${review.case.reference}`));
  await listener.press('Space');
  await listener.moveTo('button', /^Reassign…/);
  await listener.press('Enter');
  await page.getByRole('dialog').waitFor();
  await listener.moveTo('radio', /Least-loaded/);
  await listener.press('Space');
  await listener.moveTo('textbox', /reason/i);
  await page.keyboard.type('On leave until Monday');
  await listener.moveTo('button', /^Reassign 1 review/);
  await listener.press('Enter');
  await listener.heard(/1 review reassigned/);
  await expect.poll(() => listener.focused()).not.toBeNull();
  const { review: after } = await graphql<{ review: { assignee: { name: string } | null } }>(
    'manager',
    'query($id: ID!) { review(id: $id) { assignee { name } } }',
    { id: review.id },
  );
  expect(after.assignee).not.toBeNull();
  await context.close();
});
