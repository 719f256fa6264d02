// Steps of stories that design a process on the drawing and publish it.
import type { Page } from 'playwright-core';
import { graphql, openPageAs } from './environment.ts';

export const drawing = (page: Page) => page.getByRole('region', { name: 'Diagram', exact: true });

export async function choose(page: Page, step: string): Promise<void> {
  await page.getByRole('button', { name: `Edit step ${step}`, exact: true }).click();
  await page.getByRole('heading', { name: new RegExp(`: ${step}$`) }).waitFor();
}

export async function insert(page: Page, where: string, what: string): Promise<void> {
  await page.getByLabel(`Insert a step: ${where}`, { exact: true }).selectOption({ label: what });
}

export const leads = (page: Page, way: string, to: string) =>
  page.getByLabel(way, { exact: true }).selectOption({ label: to });

export async function name(page: Page, english: string, chinese: string): Promise<void> {
  await page.getByLabel('Name in English', { exact: true }).fill(english);
  await page.getByLabel('Name in Chinese', { exact: true }).fill(chinese);
}

export async function newProcess(page: Page, key: string, english: string, chinese: string) {
  await page.goto('/definitions/new/edit');
  await drawing(page).waitFor();
  await page.getByLabel('Key', { exact: true }).fill(key);
  await name(page, english, chinese);
  await page.getByLabel('my_document', { exact: true }).click();
}

/** Proposes the text of the page, publishes it as another administrator, and returns it. */
export async function publish(page: Page, key: string): Promise<string> {
  await page.getByText(/^Valid:/).waitFor();
  await page.getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('heading', { name: 'Proposals' }).waitFor();
  const second = await openPageAs('admin2');
  await second.page.goto(`/definitions/${key}`);
  await second.page.getByRole('button', { name: 'Publish' }).click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
  await second.page.getByText('No open proposals.').waitFor();
  await second.context.close();
  const { processDefinitions } = await graphql<{
    processDefinitions: { nodes: { document: string }[] };
  }>(
    'admin',
    'query($key: String!) { processDefinitions(first: 1, filter: {key: $key}) { nodes { document } } }',
    { key },
  );
  return processDefinitions.nodes[0]?.document ?? '';
}

/** The queues in which the case has open reviews. */
export async function openQueues(reference: string): Promise<string[]> {
  const { case: found } = await graphql<{
    case: { reviews: { queue: string; status: string }[] };
  }>('auditor', 'query($r: String!) { case(reference: $r) { reviews { queue status } } }', {
    r: reference,
  });
  return found.reviews.filter(({ status }) => status === 'OPEN').map(({ queue }) => queue);
}
