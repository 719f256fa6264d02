// Two people act on the same review at the same time: the later one reads what happened, and by whom.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { drawUnitedInvoices, graphql, submit } from './environment.ts';
import { act, reviewOf, waitingReview } from './reviews.ts';
import { alertOf, both, dialogOf } from './two.ts';
import { viewed } from './views.ts';

const claim = (page: Page) => page.getByRole('button', { name: /^Claim(?! next)/ });
const reason = (page: Page) => page.getByRole('textbox', { name: 'Reason' });
test('of two who claim a review, the second reads who has it', async () => {
  const review = await waitingReview(9_710);
  const { one, two, close } = await both('junior', 'junior2', `/reviews/${review.id}`);
  for (const page of [one, two]) await claim(page).waitFor();
  // The second window sends before it has seen the claim of the first one.
  await Promise.all([claim(one).click(), claim(two).click()]);
  const holders = () =>
    Promise.all([one, two].map((page) => page.getByRole('button', { name: /^Release/ }).count()));
  await expect.poll(async () => (await holders()).toSorted()).toEqual([0, 1]);
  const [first] = await holders();
  const [later, name] = first === 1 ? [two, 'junior'] : [one, 'Jun Park'];
  await later
    .getByText(new RegExp(`${name} (has claimed|is (already )?working on)`))
    .first()
    .waitFor();
  await viewed(later, 'two-people-claim');
  await close();
});

test('a reason that was typed for an approval stays when the same person has returned the document elsewhere', async () => {
  const review = await waitingReview(9_720);
  await act('junior', 'claimReview', { reviewId: review.id });
  const { one, two, close } = await both('junior', 'junior', `/reviews/${review.id}`);
  await reason(two).fill('The order exists.');
  await reason(one).fill('Which order is this for?');
  await one.getByRole('button', { name: /^Return/ }).click();
  await dialogOf(one)
    .getByRole('button', { name: /^Return/ })
    .click();
  await one.getByText('Decided by you: Returned').waitFor();
  await two.getByText(/Decided by you: Returned/).waitFor();
  await viewed(two, 'two-people-returned');
  await expect.poll(() => two.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  await close();
});

test('a review that is escalated while a manager reassigns it goes to the higher level, and the manager sees it', async () => {
  const review = await waitingReview(9_730);
  const { reference } = review.case;
  await act('junior', 'claimReview', { reviewId: review.id });
  const { one, two, close } = await both('junior', 'manager', `/reviews/${review.id}`);
  await two.goto('/manage');
  const row = two.getByRole('row').filter({ hasText: reference });
  await row.getByRole('checkbox').check();
  await two.getByRole('button', { name: 'Reassign…' }).click();
  await dialogOf(two)
    .getByRole('textbox', { name: /reason/i })
    .fill('Leave of junior');
  await reason(one).fill('The vendor is my landlord’s firm.');
  await one.getByRole('button', { name: /^Escalate/ }).click();
  await dialogOf(one)
    .getByRole('button', { name: /^Escalate/ })
    .click();
  await one.getByText('Decided by you: Escalated').waitFor();
  // The review has left the list, so that its dialog says that nothing is left to reassign.
  await expect.poll(async () => (await reviewOf(reference)).queue).toBe('L2');
  await expect.poll(() => row.filter({ hasText: 'L1' }).count()).toBe(0);
  await viewed(two, 'two-people-escalated');
  await close();
});

test('a review that its reviewer has changed is reassigned only with its present values', async () => {
  const review = await waitingReview(9_740);
  const { reference } = review.case;
  await act('junior', 'claimReview', { reviewId: review.id });
  const { one, two, close } = await both('junior', 'manager', '/manage');
  await one.close();
  const row = two.getByRole('row').filter({ hasText: reference });
  await row.getByRole('checkbox').check();
  await two.getByRole('button', { name: 'Reassign…' }).click();
  await dialogOf(two)
    .getByRole('radio', { name: /Jun Park/ })
    .check();
  await dialogOf(two)
    .getByRole('textbox', { name: /reason/i })
    .fill('Leave of junior');
  const fields = [{ name: 'number', value: 'CHANGED' }];
  await act('junior', 'correctFields', { reviewId: review.id, fields });
  // The dialog says that the review has changed, and leaves it out unless it is included.
  await dialogOf(two).getByText(reference).first().waitFor();
  await viewed(two, 'two-people-reassigned');
  await dialogOf(two)
    .getByRole('checkbox', { name: /Reassign these too/ })
    .check();
  await dialogOf(two).getByRole('button', { name: 'Reassign 1 review' }).click();
  await row.getByText('Reassigned to Jun Park').waitFor();
  await close();
});

test('of two who merge the parts of a file, the second reads that they were merged', async () => {
  const { path } = await drawUnitedInvoices(2_450, 3_450);
  const reference = await submit('submitter', path);
  const whole = await reviewOf(reference);
  await act('senior', 'claimReview', { reviewId: whole.id });
  const pages = [1, 2].map((page) => ({ first: page, last: page }));
  await act('senior', 'splitCase', { reviewId: whole.id, parts: pages });
  const query = `query($r: String!) { case(reference: $r) { parts { reference case { status } } } }`;
  interface Parts {
    case: { parts: { reference: string; case: { status: string } | null }[] };
  }
  const parts = async () => (await graphql<Parts>('manager', query, { r: reference })).case.parts;
  const ready = async () => (await parts()).map((part) => part.case?.status);
  await expect.poll(ready).toEqual(['IN_REVIEW', 'IN_REVIEW']);
  const [first, second] = await Promise.all(
    (await parts()).map((part) => reviewOf(part.reference)),
  );
  await act('junior', 'claimReview', { reviewId: first?.id });
  await act('manager', 'claimReview', { reviewId: second?.id });
  const { one, two, close } = await both('junior', 'manager', '/');
  await Promise.all([one.goto(`/reviews/${first?.id}`), two.goto(`/reviews/${second?.id}`)]);
  for (const page of [one, two]) {
    await page.getByRole('button', { name: 'Merge the parts again' }).click();
    await dialogOf(page).getByRole('textbox').fill('One document.');
  }
  const merge = () => dialogOf(one).getByRole('button', { name: 'Merge', exact: true }).click();
  await merge();
  // A part that another reviewer works on is not merged away under their hands.
  await alertOf(one, /claimed/).waitFor();
  await viewed(one, 'two-people-merge');
  await act('manager', 'releaseReview', { reviewId: second?.id });
  await merge();
  await one.getByRole('dialog', { name: 'New cases' }).waitFor();
  await two.getByText('This review is no longer needed').waitFor();
  await viewed(two, 'two-people-merged');
  await close();
});
