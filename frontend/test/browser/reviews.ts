// Steps on reviews that stories share.
import { expect } from 'vitest';
import { drawInvoice, graphql, submit, type Username } from './environment.ts';

export interface Waiting {
  id: string;
  case: { id: string; reference: string };
}

/** Sends an invoice that a person has to look at, and returns its reference. */
export async function waiting(euros: number, vendor = ''): Promise<string> {
  return submit('submitter', (await drawInvoice(euros, 'pdf', vendor)).path);
}

export async function reviewOf(reference: string, as: Username = 'manager'): Promise<Waiting> {
  const query = '{ reviews(first: 100) { nodes { id case { id reference } } } }';
  const { reviews } = await graphql<{ reviews: { nodes: Waiting[] } }>(as, query);
  const found = reviews.nodes.find((one) => one.case.reference === reference);
  if (found === undefined) {
    throw new Error(`no review of ${reference}`);
  }
  return found;
}

export async function act(
  as: Username,
  command: string,
  input: Record<string, unknown>,
): Promise<void> {
  const type = `${command[0]?.toUpperCase()}${command.slice(1)}Input`;
  const query = `mutation($input: ${type}!) { ${command}(input: $input) { userErrors { ... on Refusal { message } } } }`;
  const said = await graphql<Record<string, { userErrors: { message: string }[] }>>(as, query, {
    input,
  });
  expect(said[command]?.userErrors).toEqual([]);
}

export const row = (reference: string) => ({ hasText: reference });
