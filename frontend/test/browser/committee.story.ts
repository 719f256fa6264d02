// A committee votes on the review desk: an abstention and two approvals.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { graphql, openPageAs, type Username } from './environment.ts';
import { claimReview, publishProcess, row, type Waiting, waiting } from './reviews.ts';
import { desktop, viewed } from './views.ts';

beforeAll(() =>
  publishProcess('document_approval', (document) =>
    document.replace(
      /( {4}queue: L1\n {4}level: 1\n {4}duty: approval\n)/,
      '$1    seats: 3\n    quorum: 2\n    decide_by: majority\n    abstain: true\n',
    ),
  ),
);

interface Seat extends Waiting {
  status: string;
}

/** An unclaimed seat of the case. */
async function freeSeat(reference: string, as: Username): Promise<Seat> {
  const query =
    '{ reviews(first: 100) { nodes { id version queue status case { id reference } } } }';
  const seats = async () =>
    (await graphql<{ reviews: { nodes: Seat[] } }>(as, query)).reviews.nodes.filter(
      (seat) => seat.case.reference === reference && seat.status === 'OPEN',
    );
  await expect.poll(async () => (await seats()).length).toBeGreaterThan(0);
  const [seat] = await seats();
  if (!seat) throw new Error(`no free seat of ${reference}`);
  return seat;
}

const state = (page: Page) => page.locator('[data-committee]').textContent();

async function votes(as: Username, reference: string): Promise<{ page: Page; end: () => unknown }> {
  const { context, page } = await openPageAs(as, { size: desktop });
  await claimReview(page, await freeSeat(reference, as));
  return { page, end: () => context.close() };
}

async function approve(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Approve/ }).click();
  const question = page.getByRole('dialog');
  await question.getByText('Your vote approves.', { exact: false }).waitFor();
  await question.getByRole('button', { name: /^Approve$/ }).click();
  await page.getByRole('button', { name: /^Approve/ }).waitFor({ state: 'detached' });
}

async function abstain(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Reason' }).fill('I know the seller.');
  await page.keyboard.press('Escape');
  await page.keyboard.press('b');
  const question = page.getByRole('dialog');
  await question.getByText('Abstain from this decision?').waitFor();
  await question.getByRole('button', { name: /^Abstain/ }).click();
  await page.getByRole('button', { name: /^Abstain/ }).waitFor({ state: 'detached' });
}

const status = async (reference: string) =>
  (
    await graphql<{ case: { status: string } }>(
      'auditor',
      'query($r: String!) { case(reference: $r) { status } }',
      { r: reference },
    )
  ).case.status;

test('one member abstains, two approve, and the majority decides', async () => {
  const reference = await waiting(4_000);
  const first = await votes('junior', reference);
  await expect
    .poll(() => state(first.page))
    .toMatch(/majority of the votes cast by 3 members.*0 voted/);
  await viewed(first.page, 'committee');
  await abstain(first.page);
  await first.end();
  const second = await votes('senior', reference);
  await expect.poll(() => state(second.page)).toMatch(/1 voted.*1 abstained/);
  await approve(second.page);
  await second.end();
  const third = await votes('manager', reference);
  await expect
    .poll(() => state(third.page))
    .toMatch(/2 voted: 1 approved, 0 rejected, 1 abstained/);
  await approve(third.page);
  await expect.poll(() => status(reference)).toMatch(/APPROVED|ARCHIVED/);
  await third.end();
});

test('the queue has one row of a committee, which names the step and the missing votes', async () => {
  const reference = await waiting(4_000);
  const { context, page } = await openPageAs('senior', { size: desktop });
  await page.goto('/queue');
  const rows = page.getByRole('listitem').filter(row(reference));
  await expect.poll(() => rows.count()).toBe(1);
  await expect.poll(() => rows.locator('[data-step]').textContent()).toBe('Review');
  const missing = () => rows.locator('[data-votes]').textContent();
  await expect.poll(missing).toBe('0 of 3 voted. 2 more votes needed.');
  await viewed(page, 'queue-committee');
  const first = await votes('junior', reference);
  await approve(first.page);
  await first.end();
  await expect.poll(missing).toBe('1 of 3 voted. 1 more vote needed.');
  await expect.poll(() => rows.count()).toBe(1);
  await rows.getByRole('button', { name: /^Claim/ }).click();
  const heading = page.locator('main');
  await heading.getByText('Step: Review').first().waitFor();
  await heading.getByText('Vote 2 of 3').first().waitFor();
  await viewed(page, 'committee-step');
  await page.getByRole('button', { name: /^Approve/ }).click();
  await page.getByRole('dialog').getByText('Step: Review').waitFor();
  await page.getByRole('dialog').getByText('Vote 2 of 3').waitFor();
  await viewed(page, 'committee-step-dialog');
  await context.close();
});

test('the third member and the auditor see how others voted when the committee is complete', async () => {
  await publishProcess('document_approval', (document) =>
    document
      .replace(/( {4}abstain: true\n)/, '$1    votes: hidden\n')
      .replace(/ {4}# Low-risk documents.*\n {4}bulk: .*\n/, ''),
  );
  const reference = await waiting(4_000);
  const first = await votes('junior', reference);
  await abstain(first.page);
  await first.page.getByText('others see that you have voted, but not how').waitFor();
  await viewed(first.page, 'committee-own-hidden-vote');
  await first.end();
  const second = await votes('senior', reference);
  await approve(second.page);
  await second.end();
  const auditor = await openPageAs('auditor', { size: desktop });
  await auditor.page.goto(`/cases/${reference}`);
  await auditor.page.getByText('Hidden vote cast').first().waitFor();
  await expect
    .poll(() => auditor.page.textContent('main'))
    .not.toMatch(/I know the seller|abstained/);
  const third = await votes('manager', reference);
  await expect.poll(() => state(third.page)).toMatch(/2 of 3 members have voted/);
  await third.page
    .getByText(/has voted/)
    .first()
    .waitFor();
  await expect
    .poll(() => third.page.textContent('main'))
    .not.toMatch(/I know the seller|abstained/i);
  await viewed(third.page, 'committee-hidden-votes');
  await approve(third.page);
  await expect.poll(() => status(reference)).toMatch(/APPROVED|ARCHIVED/);
  await auditor.page.getByText('I know the seller').first().waitFor();
  await auditor.page
    .getByText(/Vote of .* disclosed/)
    .first()
    .waitFor();
  await viewed(auditor.page, 'committee-disclosed-votes');
  await third.end();
  await auditor.context.close();
});

test('queue, desk and case page name the time limit of the step, which comes before the deadline to decide', async () => {
  await publishProcess('document_approval', (document) =>
    document.replace(/( {4}abstain: true\n)/, '$1    timeout: {after: 30m, to: seal_rejected}\n'),
  );
  const reference = await waiting(4_000);
  const { context, page } = await openPageAs('senior', { size: desktop });
  await page.goto('/queue');
  const ends = /Ends in (29|30) min.*, decided or not/;
  const rows = page.getByRole('listitem').filter(row(reference));
  await rows.getByText(ends).waitFor();
  await viewed(page, 'queue-time-limit');
  await rows.getByRole('button', { name: /^Claim/ }).click();
  await page.locator('[data-deadline="end"]').getByText(ends).waitFor();
  await expect.poll(() => state(page)).toMatch(/The step ends at .* at least 2\. With fewer/);
  await viewed(page, 'desk-time-limit');
  await page.goto(`/cases/${reference}`);
  await page.getByText(ends).first().waitFor();
  await viewed(page, 'case-time-limit');
  await context.close();
});
