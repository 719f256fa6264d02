import { expect, test } from 'vitest';
import { drawInvoice, graphql, openPageAs, submit } from './environment.ts';
import { act } from './reviews.ts';
import { desktop, viewed } from './views.ts';

const vendor = 'Summen Handel GmbH';

const submitted = async (euros: number) =>
  submit('submitter', (await drawInvoice(euros, 'pdf', vendor)).path);

async function reviewOf(reference: string): Promise<string> {
  const { case: found } = await graphql<{ case: { openReview: { id: string } | null } | null }>(
    'manager',
    'query($reference: String!) { case(reference: $reference) { openReview { id } } }',
    { reference },
  );
  if (!found?.openReview) throw new Error(`no review of ${reference}`);
  return found.openReview.id;
}

test('the finding about split payments leads to exactly the documents that it added, with their time', async () => {
  const first = await submitted(610);
  const second = await submitted(520);
  const third = await submitted(330);
  const fourth = await submitted(150);
  const { context, page } = await openPageAs('manager', { size: desktop });
  await page.goto(`/reviews/${await reviewOf(third)}`);
  await page.getByRole('region', { name: 'Findings' }).waitFor();
  const link = page.getByRole('link', { name: /^Show the 2 counted documents$/ });
  await expect.poll(() => link.count()).toBeGreaterThan(0);
  await page.goto((await link.first().getAttribute('href')) ?? '');
  await page.getByRole('heading', { name: 'Documents of a sum' }).waitFor();
  const rows = page.locator('tr[data-row]');
  await expect.poll(() => rows.count()).toBe(2);
  for (const [reference, count] of [
    [first, 1],
    [second, 1],
    [third, 0],
    [fourth, 0],
  ] as const)
    await expect.poll(() => rows.filter({ hasText: reference }).count()).toBe(count);
  await page.getByText('As of', { exact: false }).first().waitFor();
  await viewed(page, 'sum');

  // The list keeps the amounts of its time; the status of a document is the present one.
  const reviewId = await reviewOf(second);
  await act('junior', 'claimReview', { reviewId });
  await act('junior', 'decideReview', { reviewId, decision: 'REJECT', reason: 'not ours' });
  await expect
    .poll(() => rows.filter({ hasText: second }).textContent(), { timeout: 20_000 })
    .toContain('Rejected');
  await expect.poll(() => rows.count()).toBe(2);
  await context.close();
});
