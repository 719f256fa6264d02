import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import {
  drawInvoice,
  expectAccessible,
  graphql,
  inEveryView,
  openPageAs,
  runCLI,
  screenshot,
  submit,
} from './environment.ts';

let reference = '';
const line = (page: Page, text: RegExp | string) =>
  page.getByRole('listitem').filter({ hasText: text });

async function caseId(): Promise<string> {
  const query = 'query($text: String) { cases(filter: {text: $text}) { nodes { id } } }';
  const data = await graphql<{ cases: { nodes: { id: string }[] } }>('auditor', query, {
    text: reference,
  });
  return data.cases.nodes[0]?.id ?? '';
}

beforeAll(async () => {
  const vendor = 'Gesellschaft für ganz besonders lange Namen '.repeat(7).slice(0, 300).trim();
  reference = await submit('submitter', (await drawInvoice(900_000, 'pdf', vendor)).path);
  const query =
    'query($text: String) { cases(filter: {text: $text}) { nodes { openReview { id } } } }';
  const data = await graphql<{ cases: { nodes: { openReview: { id: string } }[] } }>(
    'senior',
    query,
    { text: reference },
  );
  const input = { reviewId: data.cases.nodes[0]?.openReview.id };
  // Above the junior's limit: a refusal for the record.
  await graphql(
    'junior',
    'mutation($input: ClaimReviewInput!) { claimReview(input: $input) { userErrors { ... on Refusal { code } } } }',
    { input },
  );
  await graphql(
    'senior',
    'mutation($input: ClaimReviewInput!) { claimReview(input: $input) { review { id } } }',
    {
      input,
    },
  );
  const decision = { ...input, decision: 'REJECT', reason: 'Not ordered by us' };
  await graphql(
    'senior',
    'mutation($input: DecideReviewInput!) { decideReview(input: $input) { review { id } } }',
    {
      input: decision,
    },
  );
});

async function openTrail(page: Page): Promise<void> {
  await page.goto('/audit');
  await page.getByRole('searchbox').fill(reference.slice(-6));
  await page.getByRole('link', { name: reference }).click();
  await page.getByRole('heading', { name: `Audit of ${reference}` }).waitFor();
}

test('an auditor finds a case by a part of its reference and reads its trail with the evidence', async () => {
  const { context, page } = await openPageAs('auditor');
  await page.goto('/');
  await page.waitForURL('**/audit');
  await screenshot(page, 'audit-start-desktop');
  await expectAccessible(page, 'audit start');
  await openTrail(page);
  await line(page, 'Not ordered by us').first().waitFor();
  await line(page, 'Denied').first().waitFor();
  await page.getByText(/^Denied \(/).click();
  await expect.poll(() => line(page, /^Event \d/).count()).toBe(0);
  await page.getByText(/^Events \(/).click();
  await page.getByText('review.decided').click();
  await page.getByText('"verdict": "reject"').waitFor();
  await screenshot(page, 'audit-evidence-desktop');
  await expectAccessible(page, 'audit with evidence');
  await context.close();
});

test('the chain of a case and the whole log are verified, and the page says so', async () => {
  const { context, page } = await openPageAs('auditor');
  await openTrail(page);
  await page.getByRole('button', { name: 'Verify the chain' }).click();
  await page.getByText(/The chain is valid: \d+ events/).waitFor();
  await page.getByRole('link', { name: 'Choose another case' }).click();
  await page.getByRole('button', { name: 'Verify the whole audit log' }).click();
  await page.getByText(/The audit log is valid: \d+ chains/).waitFor();
  await page.getByText(/\d+ checkpoints? (is|are) valid/).waitFor();
  await page.getByText('Proved by checkpoints outside of the database').waitFor();
  await page.getByRole('heading', { name: 'Checkpoints' }).waitFor();
  await page.getByText('Folder').waitFor();
  await expectAccessible(page, 'audit verified');
  await screenshot(page, 'audit-verified-desktop');
  await context.close();
});

test('the evidence pack of a case is downloaded', async () => {
  const { context, page } = await openPageAs('auditor');
  await openTrail(page);
  const path = await page.getByRole('link', { name: /Evidence pack/ }).getAttribute('href');
  const answer = await page.request.get(path ?? '');
  expect(answer.status()).toBe(200);
  expect(answer.headers()['content-disposition']).toContain(`${reference}.zip`);
  expect((await answer.body()).subarray(0, 2).toString()).toBe('PK');
  await context.close();
});

test('a user who may not verify sees why, and the manifest is downloaded', async () => {
  const { context, page } = await openPageAs('manager');
  await openTrail(page);
  const button = page.getByRole('button', { name: /Verify the chain/ });
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
  await page.waitForLoadState('networkidle'); // the button moves while the trail loads
  await button.hover();
  await page.getByRole('tooltip').getByText('Only auditors can verify the audit log.').waitFor();
  const path = await page.getByRole('link', { name: /manifest/ }).getAttribute('href');
  const answer = await page.request.get(path ?? '');
  expect(answer.status()).toBe(200);
  const manifest = await answer.text();
  expect(manifest).toContain(reference);
  await context.close();
});

test('new events are offered while the trail is open', async () => {
  const mine = reference;
  reference = await submit('submitter', (await drawInvoice(8_000)).path);
  const { context, page } = await openPageAs('auditor');
  await openTrail(page);
  await line(page, 'Event 1').first().waitFor();
  await runCLI('junior', 'review', 'claim', reference);
  const id = await caseId();
  const query = 'query($id: ID!) { case(id: $id) { openReview { id } } }';
  const data = await graphql<{ case: { openReview: { id: string } } }>('junior', query, { id });
  const input = { reviewId: data.case.openReview.id };
  await graphql(
    'junior',
    'mutation($input: ClaimReviewInput!) { claimReview(input: $input) { review { id } } }',
    {
      input,
    },
  );
  await page.getByRole('button', { name: /^Show \d+ new events?/ }).click();
  await line(page, /claimed/i)
    .first()
    .waitFor();
  reference = mine;
  await context.close();
});

test('the trail is accessible in every view', async () => {
  await inEveryView('auditor', async (page, name) => {
    await page.goto(`/audit/${await caseId()}`);
    await page.getByRole('listitem').first().waitFor();
    await screenshot(page, `audit-${name}`);
    await expectAccessible(page, `audit ${name}`);
  });
});

test('the trail has an address by the reference of its case', async () => {
  const { context, page } = await openPageAs('auditor');
  await page.goto(`/audit/${reference.toLowerCase()}`);
  await page.getByRole('heading', { name: `Audit of ${reference}` }).waitFor();
  await page.getByRole('listitem').first().waitFor();
  await page.goto('/audit/CS-2026-999999');
  await page.getByText('Case not found').waitFor();
  await context.close();
});

test('an auditor finds decisions by person, amount and outcome, and exports them', async () => {
  const { context, page } = await openPageAs('auditor');
  await page.goto('/audit');
  const search = page.getByRole('region', { name: 'Search all entries' });
  await search.getByRole('combobox', { name: 'Person' }).fill('senior');
  await page.getByRole('option', { name: 'senior' }).click();
  await search.getByRole('combobox', { name: 'Event' }).fill('decided');
  await page.getByRole('option', { name: 'Review decided' }).click();
  await search.getByLabel('Amount at least (USD)').fill('500000');
  await search.getByRole('button', { name: 'Search' }).click();
  const found = search.getByRole('list', { name: 'Audit log' }).getByRole('listitem');
  await found.filter({ hasText: reference }).getByText('Not ordered by us').first().waitFor();
  await screenshot(page, 'audit-search');
  await expectAccessible(page, 'audit search');
  await search.getByRole('button', { name: 'Export' }).click();
  const link = page.getByRole('menuitem').first();
  const file = await page.request.get((await link.getAttribute('href')) ?? '');
  expect(file.status()).toBe(200);
  const exported = await file.text();
  expect(exported).toContain(reference);
  await page.keyboard.press('Escape');
  await search.getByLabel('Amount at least (USD)').fill('5,000');
  await search.getByText('Enter an amount such as').waitFor();
  await search.getByLabel('Amount at least (USD)').fill('999999999');
  await search.getByRole('button', { name: 'Search' }).click();
  await search.getByText('No entries').waitFor();
  await context.close();
});
