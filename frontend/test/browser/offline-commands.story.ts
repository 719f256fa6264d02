// Commands outside of a review that meet no connection are sent once more, unless the user does something first.
import { expect, test } from 'vitest';
import { graphql, openPageAs } from './environment.ts';
import { cutOff, eventsOf, unreachable } from './offline.ts';
import { act, waitingReview } from './reviews.ts';
import { desktop } from './views.ts';

const conflicts = async () => {
  const { viewer } = await graphql<{ viewer: { conflicts: { counterparty: string }[] } }>(
    'senior',
    '{ viewer { conflicts { counterparty } } }',
  );
  return viewer.conflicts.map(({ counterparty }) => counterparty).sort();
};

test('a form is sent once more, and not after the user has changed it', async () => {
  const { context, page } = await openPageAs('senior', { size: desktop });
  await page.goto('/account');
  const dialog = page.getByRole('dialog');
  const company = dialog.getByRole('textbox', { name: /company/i });
  const declare = async (name: string) => {
    await page.getByRole('button', { name: 'Declare a conflict of interest' }).click();
    await company.fill(name);
    await dialog.getByRole('textbox', { name: /reason/i }).fill('I own a share of it');
  };
  const send = () => dialog.getByRole('button', { name: 'Declare' }).click();
  await declare('Nordlicht Papier GmbH');
  await cutOff(context, page, send);
  await page.getByText('You no longer have access to cases of Nordlicht Papier GmbH').waitFor();
  await expect.poll(conflicts).toEqual(['Nordlicht Papier GmbH']);
  await declare('Weser Druck');
  await cutOff(context, page, async () => {
    await send();
    await unreachable(page).first().waitFor();
    await company.fill('Weser Druck GmbH');
  });
  await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor({ state: 'detached' });
  await unreachable(page).first().waitFor(); // it waits for the user
  await expect.poll(conflicts).toEqual(['Nordlicht Papier GmbH']);
  await send();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(conflicts).toEqual(['Nordlicht Papier GmbH', 'Weser Druck GmbH']);
  await context.close();
});

test('a claim in the queue opens the review when the connection is back', async () => {
  const review = await waitingReview(2_110);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await page.goto('/queue');
  const claim = page
    .getByRole('listitem')
    .filter({ hasText: review.case.reference })
    .getByRole('button', { name: /^Claim/ });
  await claim.waitFor();
  await context.setOffline(true);
  await claim.click();
  await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
  await context.setOffline(false);
  await page.getByRole('button', { name: /^Release/ }).waitFor();
  await expect.poll(() => eventsOf(review, 'review.claimed')).toBe(1);
  await context.close();
});

test('a manager’s reassignment has one effect', async () => {
  const review = await waitingReview(2_120);
  const { context, page } = await openPageAs('manager', { size: desktop });
  await page.goto('/manage');
  await page.getByRole('checkbox', { name: `Select ${review.case.reference}` }).check();
  await page.getByRole('button', { name: 'Reassign…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: /Jun Park/ }).check();
  await dialog.getByRole('textbox', { name: /reason/i }).fill('On leave until Monday');
  await context.setOffline(true);
  await dialog.getByRole('button', { name: /^Reassign \d+ review/ }).click();
  await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
  await context.setOffline(false);
  await page.getByText('1 review reassigned.').waitFor();
  await expect.poll(() => eventsOf(review, 'review.reassigned')).toBe(1);
  await context.close();
});

test('an answer of the submitter is sent once', async () => {
  const review = await waitingReview(2_130);
  await act('junior', 'claimReview', { reviewId: review.id });
  await act('junior', 'decideReview', {
    reviewId: review.id,
    decision: 'RETURN',
    reason: 'Which order is this for?',
  });
  const { context, page } = await openPageAs('submitter', { size: desktop });
  await page.goto(`/cases/${review.case.id}`);
  await page.getByRole('textbox', { name: 'Your answer' }).fill('For order 4711.');
  await cutOff(context, page, () => page.getByRole('button', { name: 'Resubmit' }).click());
  await page.getByText('Waiting for a decision.').waitFor();
  await expect.poll(() => eventsOf(review, 'case.resubmitted')).toBe(1);
  await context.close();
});
