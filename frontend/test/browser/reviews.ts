// Steps on reviews that stories share.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { drawInvoice, graphql, submit, type Username } from './environment.ts';

export interface Waiting {
  id: string;
  version: string;
  queue: string;
  case: { id: string; reference: string };
}

/** Sends an invoice that a person has to look at, and returns its reference. */
export async function waiting(euros: number, vendor = ''): Promise<string> {
  return submit('submitter', (await drawInvoice(euros, 'pdf', vendor)).path);
}

export async function reviewOf(reference: string, as: Username = 'manager'): Promise<Waiting> {
  const query = '{ reviews(first: 100) { nodes { id version queue case { id reference } } } }';
  const { reviews } = await graphql<{ reviews: { nodes: Waiting[] } }>(as, query);
  const found = reviews.nodes.find((one) => one.case.reference === reference);
  if (found === undefined) {
    throw new Error(`no review of ${reference}`);
  }
  return found;
}

/** Sends an invoice that a person has to look at, and returns its review. */
export async function waitingReview(
  euros = 2_000,
  kind: 'pdf' | 'png' = 'pdf',
  vendor = '',
): Promise<Waiting> {
  return reviewOf(await submit('submitter', (await drawInvoice(euros, kind, vendor)).path));
}

/** Loads the page of the review. */
export async function openReview(page: Page, review: Pick<Waiting, 'id'>): Promise<void> {
  await page.goto(`/reviews/${review.id}`);
  await page.getByRole('heading', { name: 'Fields', exact: true }).waitFor();
}

/** Loads the page of the review and claims it. */
export async function claimReview(page: Page, review: Pick<Waiting, 'id'>): Promise<void> {
  await openReview(page, review);
  await page.getByRole('button', { name: /^Claim/ }).click();
  await page.getByRole('button', { name: /^Release/ }).waitFor();
}

/** Releases the review of the page, so that another person can claim it. */
export async function releaseReview(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Release/ }).click();
  await page.getByRole('button', { name: /^Claim/ }).waitFor();
}

/** Sends a command as another person, or as the same person in another place. */
export async function act(
  as: Username,
  command: string,
  input: Record<string, unknown>,
): Promise<void> {
  const type = `${command[0]?.toUpperCase()}${command.slice(1)}Input`;
  const query = `mutation($input: ${type}!) { ${command}(input: $input) {
    userErrors { ... on Refusal { message values { name value } } } } }`;
  const send = async (sent: Record<string, unknown>) => {
    const said = await graphql<Record<string, { userErrors: Refused[] }>>(as, query, {
      input: sent,
    });
    return said[command]?.userErrors ?? [];
  };
  let refusals = await send(input);
  const unchecked = uncheckedOf(refusals);
  if (unchecked) refusals = await send({ ...input, unchecked });
  expect(refusals.map(({ message }) => message)).toEqual([]);
}

interface Refused {
  message: string;
  values: { name: string; value: string }[];
}

/** The fields that the refusal of an approval names as unchecked. */
function uncheckedOf(refusals: readonly Refused[]): string[] | null {
  const values = refusals[0]?.values ?? [];
  const named = (wanted: string) => values.find(({ name }) => name === wanted)?.value;
  return named('reason') === 'unchecked' ? (named('fields') ?? '').split(',') : null;
}

export const row = (reference: string) => ({ hasText: reference });

/** Publishes the built-in remittance with optional orders, for stories whose subject is not the order. */
export const acceptWithoutOrder = () =>
  publishProcess('cross_border_remittance', (document) =>
    document.replace('order: required', 'order: optional'),
  );

/** Publishes a changed process: one administrator proposes it and another publishes it. */
export async function publishProcess(
  key: string,
  change: (document: string) => string,
): Promise<void> {
  const query = `query($key: String!) { processDefinitions(first: 1, filter: {key: $key, newest: true}) {
    nodes { version document } } }`;
  const { processDefinitions } = await graphql<{
    processDefinitions: { nodes: { version: number; document: string }[] };
  }>('admin', query, { key });
  const [newest] = processDefinitions.nodes;
  if (!newest) throw new Error(`no process ${key}`);
  const propose = `mutation($input: ProposeDefinitionInput!) { done: proposeProcessDefinition(input: $input) {
    proposal { id } userErrors { ... on Refusal { message } } } }`;
  const { done } = await graphql<{ done: { proposal: { id: string } | null } }>('admin', propose, {
    input: { document: change(newest.document) },
  });
  const publish = `mutation($input: PublishProposalInput!) { done: publishProcessDefinition(input: $input) {
    userErrors { ... on Refusal { message } } } }`;
  const published = await graphql<{ done: { userErrors: { message: string }[] } }>(
    'admin2',
    publish,
    { input: { proposalId: done.proposal?.id, confirm: true } },
  );
  expect(published.done.userErrors).toEqual([]);
}
