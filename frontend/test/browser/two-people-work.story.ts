// Two people delegate, set an absence, check the quality sample or handle an incident at the same moment: the
// second one reads what the first one did, and the page shows the present state.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  confirmNewest,
  control,
  drawInvoice,
  graphql,
  openPageAs,
  submit,
  type Username,
} from './environment.ts';
import { act, reviewOf } from './reviews.ts';
import { alertOf, both, dialogOf, keeps } from './two.ts';
import { viewed } from './views.ts';

const nextWeek = () => new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
const until = () => new Date(Date.now() + 7 * 86_400_000).toISOString();

async function choose(page: Page, field: RegExp, name: string): Promise<void> {
  await dialogOf(page).getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name, exact: true }).click();
}

const save = (page: Page) => dialogOf(page).getByRole('button', { name: 'Save' }).click();

async function idOf(person: Username): Promise<string> {
  const { viewer } = await graphql<{ viewer: { person: { id: string } } }>(
    person,
    '{ viewer { person { id } } }',
  );
  return viewer.person.id;
}

test('of two who end a delegation, the second reads that it has ended, and it leaves the list', async () => {
  const delegate = await openPageAs('aml');
  await delegate.page.goto('/delegations');
  await delegate.page.getByText('You have no delegations.').waitFor();
  await act('senior', 'createDelegation', { delegateId: await idOf('aml'), validUntil: until() });
  // The delegate's page shows it without being loaded again.
  await delegate.page.getByRole('button', { name: /^End the delegation from senior/ }).waitFor();
  await delegate.context.close();
  const { one, two, close } = await both('senior', 'aml', '/delegations');
  for (const page of [one, two]) {
    await page.getByRole('button', { name: /^End the delegation from senior/ }).click();
    await dialogOf(page).waitFor();
  }
  const end = (page: Page) => dialogOf(page).getByRole('button', { name: 'End' }).click();
  await end(one);
  await one.getByText('You have no delegations.').waitFor();
  await dialogOf(two).getByRole('textbox').fill('Back from leave');
  await end(two);
  await alertOf(two, /This delegation has already ended/).waitFor();
  await keeps(dialogOf(two).getByRole('textbox'), 'Back from leave');
  await viewed(two, 'two-people-delegation-ended');
  await dialogOf(two).getByRole('button', { name: 'Cancel' }).click();
  await two.getByText('You have no delegations.').waitFor();
  await close();
});

test('of two who delegate to each other, the second reads that this would form a loop, and sees the other one', async () => {
  const { one, two, close } = await both('junior', 'junior2', '/delegations');
  const fill = async (page: Page, delegate: string) => {
    await page.getByRole('button', { name: 'Add delegation', exact: true }).click();
    await choose(page, /^Delegate/, delegate);
    await dialogOf(page).getByLabel('Last day').fill(nextWeek());
    await dialogOf(page).getByRole('textbox', { name: 'Reason' }).fill(`${delegate} for me`);
  };
  await fill(one, 'Jun Park');
  await fill(two, 'junior');
  await save(one);
  await one.getByText('Delegation from junior to Jun Park saved.').waitFor();
  await save(two);
  await alertOf(two, /would form a loop/).waitFor();
  await keeps(dialogOf(two).getByRole('textbox', { name: 'Reason' }), 'junior for me');
  await viewed(two, 'two-people-delegation-loop');
  await two
    .getByRole('listitem', { includeHidden: true })
    .filter({ hasText: 'Jun Park for me' })
    .waitFor();
  await close();
});

test('of a person and a manager who set an absence, the second reads that it is set, and sees it', async () => {
  const { one, two, close } = await both('junior2', 'manager', '/delegations');
  await one.getByRole('button', { name: 'Set out of office' }).click();
  await two.getByRole('button', { name: 'Set out of office for someone else' }).click();
  await choose(two, /Person/, 'Jun Park');
  for (const page of [one, two]) await dialogOf(page).getByLabel('Last day').fill(nextWeek());
  await dialogOf(one).getByRole('textbox', { name: 'Reason' }).fill('My leave');
  await dialogOf(two).getByRole('textbox', { name: 'Reason' }).fill('Called in sick');
  await save(one);
  await one.getByText(/^Out of office of .* saved\./).waitFor();
  await save(two);
  await alertOf(two, /Jun Park is already out of office in that period/).waitFor();
  await keeps(dialogOf(two).getByRole('textbox', { name: 'Reason' }), 'Called in sick');
  await two
    .getByRole('listitem', { includeHidden: true })
    .filter({ hasText: 'My leave' })
    .waitFor();
  await viewed(two, 'two-people-absence');
  await dialogOf(two).getByRole('button', { name: 'Cancel' }).click();
  // Both end it.
  for (const page of [one, two]) {
    await page.getByRole('button', { name: 'End the absence of Jun Park' }).first().click();
    await dialogOf(page).waitFor();
  }
  const end = (page: Page) => dialogOf(page).getByRole('button', { name: 'End' }).click();
  await end(two);
  await two.getByText('Reviews can be assigned to Jun Park again.').waitFor();
  await end(one);
  await alertOf(one, /This absence has already ended/).waitFor();
  await viewed(one, 'two-people-absence-ended');
  await close();
});

/** An archived invoice of which every case is in the quality sample. */
async function sampled(euros: number): Promise<void> {
  for (const stratum of ['STRAIGHT', 'APPROVED']) {
    const share = { process: 'document_approval', stratum, percent: '100', reason: 'Audit' };
    await act('admin', 'proposeSampleShare', share);
    await confirmNewest();
  }
  const reference = await submit('submitter', (await drawInvoice(euros)).path);
  const reviewId = (await reviewOf(reference)).id;
  await act('manager', 'claimReview', { reviewId });
  await act('manager', 'decideReview', { reviewId, decision: 'APPROVE', reason: 'Checked.' });
  const query = '{ qualitySamples(first: 20) { nodes { reference } } }';
  const samples = async () =>
    (await graphql<{ qualitySamples: { nodes: { reference: string }[] } }>('auditor', query))
      .qualitySamples.nodes;
  await expect
    .poll(async () => (await samples()).some((one) => one.reference === reference))
    .toBe(true);
}

test('of two who take the only sample, the second reads that none is waiting', async () => {
  await sampled(1_410);
  const { one, two, close } = await both('junior', 'junior2', '/quality');
  const take = (page: Page) => page.getByRole('button', { name: 'Take a sample' });
  await take(one).click();
  await one.getByRole('textbox', { name: 'Vendor', exact: true }).waitFor();
  await take(two).click();
  await alertOf(two, /No sample is waiting that you can check/).waitFor();
  await viewed(two, 'two-people-sample');
  await close();
});

test('of two who enter the values of an incident, the second reads that it was handled, and what was typed stays', async () => {
  await control('/tesseract/fails');
  const reference = await submit('submitter', (await drawInvoice(2_320, 'png')).path);
  await control('/tesseract/works');
  const { one, two, close } = await both('submitter', 'manager', `/cases/${reference}`);
  const fields = ['Vendor', 'Number', 'Date', 'Total', 'Currency'];
  const values = ['Kiefer GmbH', 'BY-ONE', '2026-11-20', '120.00', 'EUR'];
  for (const page of [one, two]) {
    await page.getByRole('button', { name: 'Enter values by hand' }).click();
    for (const [at, name] of fields.entries())
      await page.getByRole('textbox', { name, exact: true }).fill(values[at] ?? '');
  }
  const number = two.getByRole('textbox', { name: /^Number/ });
  await number.fill('BY-TWO');
  await one.getByRole('button', { name: 'Use these values' }).click();
  await two.getByText('Someone else has already handled this, so nothing was sent.').waitFor();
  await keeps(number, 'BY-TWO');
  await viewed(two, 'two-people-values');
  await close();
});
