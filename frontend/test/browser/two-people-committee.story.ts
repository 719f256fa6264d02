// Members of a committee with hidden votes act at the same moment: each reads what became of the review and of
// what was typed, and no vote is about something other than what its page shows.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, graphql, openPageAs, screenshot, type Username } from './environment.ts';
import { act, claimReview, publishProcess, type Waiting, waiting } from './reviews.ts';
import { dialogOf } from './two.ts';
import { desktop, viewed } from './views.ts';

// Three seats: two of L1, and one of L2 with a veto.
beforeAll(() =>
  publishProcess('document_approval', (document) =>
    document
      .replace(
        /( {4}queue: L1\n {4}level: 1\n {4}duty: approval\n)/,
        '$1    seats: 3\n    quorum: 2\n    decide_by: majority\n    abstain: true\n    votes: hidden\n    veto_queue: L2\n    veto_level: 2\n',
      )
      .replace(/ {4}# Low-risk documents.*\n {4}bulk: .*\n/, ''),
  ),
);

interface Seat extends Waiting {
  status: string;
}

/** The free seats of the case that the person sees. */
async function freeSeats(reference: string, as: Username): Promise<Seat[]> {
  const query =
    '{ reviews(first: 100) { nodes { id version queue status case { id reference } } } }';
  const { reviews } = await graphql<{ reviews: { nodes: Seat[] } }>(as, query);
  return reviews.nodes.filter(
    (seat) => seat.case.reference === reference && seat.status === 'OPEN',
  );
}

/** A free seat of the queue. */
async function seatOf(reference: string, as: Username, queue: string): Promise<Seat> {
  const seat = (await freeSeats(reference, as)).find((one) => one.queue === queue);
  if (!seat) throw new Error(`no free seat of ${reference} in ${queue}`);
  return seat;
}

/** Opens the page of a seat that the person has claimed. */
async function member(as: Username, reference: string, queue = 'L1') {
  const { context, page } = await openPageAs(as, { size: desktop });
  const seat = await seatOf(reference, as, queue);
  await claimReview(page, seat);
  return { page, seat, end: () => context.close() };
}

const reason = (page: Page) => page.getByRole('textbox', { name: 'Reason' });

async function askToApprove(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Approve/ }).click();
  await dialogOf(page).getByText('Your vote approves.', { exact: false }).waitFor();
}

const approve = (page: Page) =>
  dialogOf(page)
    .getByRole('button', { name: /^Approve$/ })
    .click();

const votedByYou = (page: Page, verdict: string) =>
  page.getByText(`Decided by you: ${verdict}`).waitFor();

/** Votes by a request. */
async function votes(as: Username, reference: string, queue: string, decision: string) {
  const reviewId = (await seatOf(reference, as, queue)).id;
  await act(as, 'claimReview', { reviewId });
  await act(as, 'decideReview', { reviewId, decision, reason: 'Looked at it.' });
}

const status = async (reference: string) =>
  (
    await graphql<{ case: { status: string } }>(
      'auditor',
      'query($r: String!) { case(reference: $r) { status } }',
      { r: reference },
    )
  ).case.status;

test('two members who vote at the same moment have both voted', async () => {
  const reference = await waiting(4_100);
  const one = await member('junior', reference);
  const two = await member('junior2', reference);
  for (const { page } of [one, two]) await askToApprove(page);
  await Promise.all([approve(one.page), approve(two.page)]);
  for (const { page } of [one, two]) await votedByYou(page, 'Approved');
  await expect.poll(() => status(reference)).toBe('IN_REVIEW');
  await viewed(two.page, 'two-people-votes');
  await Promise.all([one.end(), two.end()]);
});

test('a member whose question is open when the veto ends the committee reads that, and what was typed stays', async () => {
  const reference = await waiting(4_110);
  const one = await member('manager2', reference);
  await reason(one.page).fill('The order exists.');
  await askToApprove(one.page);
  await viewed(one.page, 'two-people-vote-asked');
  await votes('manager', reference, 'L2', 'REJECT');
  await one.page.getByText('The committee has decided without your vote').waitFor();
  await one.page.getByText('The order exists.').waitFor();
  await expect.poll(() => dialogOf(one.page).count()).toBe(0);
  await viewed(one.page, 'two-people-veto');
  await one.end();
});

test('a member who may no longer read the case reads that the review has ended, and what was typed stays', async () => {
  const reference = await waiting(4_115);
  const one = await member('junior', reference);
  await reason(one.page).fill('The order exists.');
  await askToApprove(one.page);
  await votes('manager', reference, 'L2', 'REJECT');
  await one.page.getByText('you may no longer read its case').waitFor();
  await one.page.getByText('The order exists.').waitFor();
  await expect.poll(() => dialogOf(one.page).count()).toBe(0);
  await expect.poll(() => one.page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  await viewed(one.page, 'two-people-vote-unreadable');
  await one.end();
});

test('a member who gets a conflict of interest loses the review, and another member takes the seat', async () => {
  const reference = await waiting(4_117);
  const query = 'query($r: String!) { case(reference: $r) { id counterparty } }';
  type Found = { case: { id: string; counterparty: string } };
  const { counterparty } = (await graphql<Found>('auditor', query, { r: reference })).case;
  const one = await member('junior', reference);
  await reason(one.page).fill('The order exists.');
  const admin = await openPageAs('admin', { size: desktop });
  await admin.page.goto('/admin/people');
  await admin.page.getByRole('button', { name: /Conflict of interest of junior$/ }).click();
  await dialogOf(admin.page)
    .getByRole('textbox', { name: /company/i })
    .fill(counterparty);
  await dialogOf(admin.page)
    .getByRole('textbox', { name: /reason/i })
    .fill('Shareholder');
  await dialogOf(admin.page).getByRole('button', { name: 'Declare' }).click();
  await one.page.getByText('you may no longer read its case').waitFor();
  await one.page.getByText('The order exists.').waitFor();
  await expect.poll(() => one.page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  await expect.poll(() => one.page.getByRole('heading', { name: 'Fields' }).count()).toBe(0);
  await viewed(one.page, 'two-people-conflicted');
  const two = await member('junior2', reference);
  await askToApprove(two.page);
  await approve(two.page);
  await votedByYou(two.page, 'Approved');
  await Promise.all([one.end(), two.end(), admin.context.close()]);
});

test('a member whose question is open when another one returns the case reads who returned it', async () => {
  const reference = await waiting(4_120);
  const one = await member('manager2', reference);
  await reason(one.page).fill('The order exists.');
  await askToApprove(one.page);
  await votes('junior2', reference, 'L1', 'RETURN');
  await one.page.getByText('Jun Park returned the case').waitFor();
  await one.page.getByText('The order exists.').waitFor();
  await viewed(one.page, 'two-people-vote-returned');
  await one.end();
});

test('a vote is not about values that another member has changed while the question was open', async () => {
  const reference = await waiting(4_130);
  const one = await member('junior', reference);
  const two = await member('junior2', reference);
  await reason(one.page).fill('The order exists.');
  await askToApprove(one.page);
  const fields = [{ name: 'number', value: 'BY-ANOTHER' }];
  await act('junior2', 'correctFields', { reviewId: two.seat.id, fields });
  const conflict = one.page.getByRole('region', { name: 'Conflicting changes' });
  await conflict.getByText('Jun Park changed values').waitFor();
  await conflict.getByText('BY-ANOTHER').waitFor();
  await expect.poll(() => reason(one.page).inputValue()).toBe('The order exists.');
  await Promise.all([one.end(), two.end()]);
});

const changedLines = [{ description: 'By another', amount: '4140.00' }];

test('a vote is not about line items that another member has changed while the question was open', async () => {
  const reference = await waiting(4_140);
  const one = await member('junior', reference);
  const two = await member('junior2', reference);
  await askToApprove(one.page);
  await act('junior2', 'correctLineItems', { reviewId: two.seat.id, items: changedLines });
  const question = dialogOf(one.page);
  await question.getByText(/changed while this question was open/).waitFor();
  await question
    .getByText('Jun Park changed this review: the findings and the line items.')
    .waitFor();
  await expect
    .poll(() => question.getByRole('button', { name: /^Approve$/ }).isDisabled())
    .toBe(true);
  await expectAccessible(one.page, 'a question that has changed');
  await screenshot(one.page, 'two-people-vote-lines');
  const noted = question.getByRole('button', { name: 'Continue with the present state' });
  await expect.poll(() => noted.evaluate((one) => one === document.activeElement)).toBe(true);
  // The key that was meant for the vote acknowledges what has changed.
  await one.page.keyboard.press('Enter');
  await question.getByText(/changed while this question was open/).waitFor({ state: 'detached' });
  await approve(one.page);
  await votedByYou(one.page, 'Approved');
  await Promise.all([one.end(), two.end()]);
});

test('a vote that was sent before its page knew of a change is refused, and the page says what changed', async () => {
  const reference = await waiting(4_150);
  const two = await member('junior2', reference);
  const { context, page } = await openPageAs('junior', { size: desktop });
  // No live event reaches the page.
  await page.routeWebSocket(/graphql/, () => undefined);
  await claimReview(page, await seatOf(reference, 'junior', 'L1'));
  await reason(page).fill('The order exists.');
  await askToApprove(page);
  await act('junior2', 'correctLineItems', { reviewId: two.seat.id, items: changedLines });
  await approve(page);
  await page.getByText(/Changed: the findings and the line items\. Check it again/).waitFor();
  await expect.poll(() => dialogOf(page).count()).toBe(0);
  await expect.poll(() => reason(page).inputValue()).toBe('The order exists.');
  await viewed(page, 'two-people-vote-stale');
  await askToApprove(page);
  await approve(page);
  await votedByYou(page, 'Approved');
  await Promise.all([two.end(), context.close()]);
});
