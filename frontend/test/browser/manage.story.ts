import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  control,
  drawInvoice,
  expectAccessible,
  graphql,
  inEveryView,
  openPageAs,
  passDeadlines,
  runCLI,
  screenshot,
  sizes,
  submit,
} from './environment.ts';

const longName = 'Freiherr von und zu der Hohen Rechnungspruefung '.repeat(7).slice(0, 300).trim();

let overdue = '';
let large = '';
let small = '';

/** The id of the open review of a case. */
async function reviewOf(reference: string): Promise<string> {
  const query =
    'query($text: String) { cases(filter: {text: $text}) { nodes { openReview { id } } } }';
  const data = await graphql<{ cases: { nodes: { openReview: { id: string } }[] } }>(
    'manager',
    query,
    { text: reference },
  );
  return data.cases.nodes[0]?.openReview.id ?? '';
}

async function idOf(name: string): Promise<string> {
  const { people } = await graphql<{ people: { id: string; name: string }[] }>(
    'manager',
    '{ people { id name } }',
  );
  return people.find((person) => person.name === name)?.id ?? '';
}

const row = (page: Page, reference: string) => page.getByRole('row').filter({ hasText: reference });
const choose = (page: Page, reference: string) =>
  page.getByRole('checkbox', { name: `Select ${reference}` });

async function give(page: Page, to: RegExp, reason = 'On leave until Monday'): Promise<void> {
  await page.getByRole('button', { name: 'Reassign…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: to }).check();
  await dialog.getByRole('textbox', { name: /reason/i }).fill(reason);
  await dialog.getByRole('button', { name: /^Reassign \d+ review/ }).click();
  await dialog.waitFor({ state: 'hidden' });
}

test('says that there are no reviews before the first one is submitted', async () => {
  const { context, page } = await openPageAs('manager', { size: sizes.phone });
  await page.goto('/manage');
  await page.getByText('No open reviews').waitFor();
  await screenshot(page, 'manage-empty-phone');
  await expectAccessible(page, 'manage empty');
  await context.close();
});

test('an overdue review is found and reassigned to a reviewer who may decide it', async () => {
  await runCLI(
    'admin',
    'user',
    'add',
    'long@test.test',
    '--name',
    longName,
    '--role',
    'reviewer_l1',
    '--queue',
    'L1',
  );
  overdue = await submit('submitter', (await drawInvoice(5_000)).path);
  large = await submit('submitter', (await drawInvoice(900_000)).path);
  small = await submit('submitter', (await drawInvoice(6_000)).path);
  await passDeadlines(overdue);
  const { context, page } = await openPageAs('manager');
  await page.goto('/manage');
  await row(page, small).waitFor();
  await page.getByText('Overdue (1)').click();
  await row(page, small).waitFor({ state: 'detached' });
  await choose(page, overdue).check();
  await give(page, /Jun Park/);
  await row(page, overdue).getByText('Reassigned to Jun Park').waitFor();
  await page.getByText('1 review reassigned.').waitFor();
  await row(page, overdue).getByText('Not started').waitFor(); // the list is read again after the answer
  await screenshot(page, 'manage-given-desktop');
  await context.close();
});

test('each of many has its own result, and only the failed ones stay selected', async () => {
  const { context, page } = await openPageAs('manager');
  await page.goto('/manage');
  await choose(page, small).check();
  await choose(page, large).check();
  await page.getByRole('button', { name: 'Reassign…' }).click();
  await page.getByText('eligible for 1 of 2').first().waitFor();
  // Who would receive the work is named, with the workload now and afterwards; the caller is not among them.
  const effect = page.getByRole('region', { name: 'Workload afterwards' });
  await effect
    .getByText(/^\d+ → \d+$/)
    .first()
    .waitFor();
  await expect
    .poll(() =>
      effect
        .getByRole('listitem')
        .filter({ hasText: /^manager/ })
        .count(),
    )
    .toBe(0);
  await screenshot(page, 'manage-dialog-desktop');
  await expectAccessible(page, 'manage dialog');
  await page.keyboard.press('Escape');
  await give(page, /Jun Park/);
  await row(page, small).getByText('Reassigned to Jun Park').waitFor();
  await row(page, large).getByText('This person is not eligible for this review.').waitFor();
  await expect.poll(() => choose(page, large).isChecked()).toBe(true);
  await expect.poll(() => choose(page, small).isChecked()).toBe(false);
  await screenshot(page, 'manage-results-desktop');
  await expectAccessible(page, 'manage with results');
  // The same again, to the least-loaded eligible reviewer.
  await give(page, /Least-loaded/);
  await row(page, large)
    .getByText(/^Reassigned to /)
    .waitFor();
  await context.close();
});

test('the effect on the workloads is shown before reviews are reassigned', async () => {
  const { context, page } = await openPageAs('manager');
  await page.goto('/manage');
  await choose(page, small).check();
  await page.getByRole('button', { name: 'Reassign…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('radio', { name: /junior/ })
    .first()
    .check();
  await dialog
    .getByRole('region', { name: 'Workload afterwards' })
    .getByText('junior', { exact: true })
    .waitFor();
  await screenshot(page, 'manage-effect-desktop');
  await expectAccessible(page, 'effect of giving away');
  await context.close();
});

test('deadlines are paused with a reason, and resumed', async () => {
  const { context, page } = await openPageAs('manager');
  await page.goto('/manage');
  await row(page, overdue).getByText('Overdue').waitFor();
  await page.getByRole('button', { name: `Pause the deadlines of ${overdue}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: /reason/i }).fill('Waiting for the bank');
  await dialog.getByRole('button', { name: 'Pause' }).click();
  await row(page, overdue).getByText('Waiting for the bank').waitFor();
  await screenshot(page, 'manage-paused-desktop');
  await expectAccessible(page, 'manage with a paused review');
  await page.getByRole('button', { name: `Resume the deadlines of ${overdue}` }).click();
  await dialog.getByRole('button', { name: 'Resume' }).click();
  await row(page, overdue).getByText('Waiting for the bank').waitFor({ state: 'detached' });
  await context.close();
});

test('the forecast is shown beside its figures', async () => {
  const { context, page } = await openPageAs('manager');
  await page.goto('/manage');
  const table = page.getByRole('table', { name: 'Forecast' });
  await table.getByRole('row').filter({ hasText: 'L1' }).waitFor();
  await page.getByText(/^Too little history for a forecast/).waitFor();
  await context.close();
});

test('of two managers the second sees what the first has done', async () => {
  const { context, page } = await openPageAs('manager');
  await page.goto('/manage');
  await choose(page, small).check();
  await page.getByRole('button', { name: 'Reassign…' }).click();
  const input = {
    reviewIds: [await reviewOf(small)],
    to: await idOf('junior'),
    reason: 'Knows the vendor',
  };
  await graphql(
    'manager2',
    'mutation($input: ReassignReviewsInput!) { reassignReviews(input: $input) { results { reviewId } } }',
    {
      input,
    },
  );
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${small} is now assigned to junior`).waitFor();
  await screenshot(page, 'manage-conflict-desktop');
  await dialog.getByRole('textbox', { name: /reason/i }).fill('Balance');
  await dialog.getByRole('button', { name: 'Leave as is' }).click();
  await row(page, small).getByText('junior').waitFor();
  await page.getByRole('button', { name: 'Reassign…' }).click();
  await dialog.getByRole('checkbox', { name: /Reassign these too/ }).check();
  await dialog.getByRole('radio', { name: /Jun Park/ }).check();
  await dialog.getByRole('textbox', { name: /reason/i }).fill('Balance');
  await dialog.getByRole('button', { name: 'Reassign 1 review' }).click();
  await row(page, small).getByText('Reassigned to Jun Park').waitFor();
  await context.close();
});

test('rows are selected by keyboard, in ranges and all together', async () => {
  const { context, page } = await openPageAs('manager');
  await page.goto('/manage');
  await row(page, small).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('2 selected').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+a');
  await page.getByText('3 selected').waitFor();
  await page.keyboard.press('g');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  const boxes = page.getByRole('checkbox', { name: /^Select CS-/ });
  // Escape clears the selection too if the dialog has closed by then.
  const clear = page.getByRole('button', { name: 'Clear', exact: true });
  await expect
    .poll(async () => {
      await clear.click({ timeout: 2_000 }).catch(() => null);
      return clear.count();
    })
    .toBe(0);
  await boxes.first().click();
  await boxes.nth(2).click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  await context.close();
});

test('the page loads again after the server was unavailable', async () => {
  const { context, page } = await openPageAs('manager');
  await page.goto('/manage');
  await row(page, small).waitFor();
  await control('/server/stop');
  await control('/server/start');
  const fresh = await submit('submitter2', (await drawInvoice(7_000)).path);
  await row(page, fresh).waitFor();
  await context.close();
});

test('a failed load is reported, with a button to try again', async () => {
  const { context, page } = await openPageAs('manager');
  await page.route('**/graphql', (route) => route.abort());
  await page.routeWebSocket('**/graphql', (socket) => socket.close());
  await page.goto('/manage');
  await page.getByRole('alert').getByText('could not be loaded').waitFor();
  await screenshot(page, 'manage-error-desktop');
  await expectAccessible(page, 'manage error');
  await context.close();
});

test('the board is accessible in every view', async () => {
  await inEveryView('manager', async (page, name) => {
    await page.goto('/manage');
    await page.getByRole('link', { name: small }).waitFor();
    await page.getByRole('checkbox').last().check();
    await screenshot(page, `manage-${name}`);
    await expectAccessible(page, `manage ${name}`);
  });
});
