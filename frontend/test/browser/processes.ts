// Texts of processes in stories: what is published, and with which version a case runs.
import { expect } from 'vitest';
import { graphql } from './environment.ts';

/** The newest published text of the process. */
export async function newestText(key: string): Promise<{ version: number; document: string }> {
  const { processDefinitions } = await graphql<{
    processDefinitions: { nodes: { version: number; document: string }[] };
  }>(
    'admin',
    'query($key: String) { processDefinitions(first: 1, filter: { key: $key }) { nodes { version document } } }',
    { key },
  );
  const [newest] = processDefinitions.nodes;
  if (!newest) throw new Error(`no process ${key}`);
  return newest;
}

/** Publishes a text by two administrators. */
export async function publish(document: string): Promise<void> {
  const { done } = await graphql<{ done: { proposal: { id: string } | null } }>(
    'admin',
    'mutation($document: String!) { done: proposeProcessDefinition(input: { document: $document }) { proposal { id } } }',
    { document },
  );
  const published = await graphql<{ done: { userErrors: unknown[] } }>(
    'admin2',
    'mutation($id: ID!) { done: publishProcessDefinition(input: { proposalId: $id, confirm: true }) { userErrors { ... on Refusal { message } } } }',
    { id: done.proposal?.id },
  );
  expect(published.done.userErrors).toEqual([]);
}

/** The version of its process with which the case runs. */
export async function versionOf(reference: string): Promise<number> {
  const { case: found } = await graphql<{ case: { processVersion: number } }>(
    'auditor',
    'query($r: String!) { case(reference: $r) { processVersion } }',
    { r: reference },
  );
  return found.processVersion;
}
