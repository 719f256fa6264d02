// The page of an archived case: its downloads, other documents of its vendor, and its correction.
import { expect, test } from 'vitest';
import {
  drawInvoice,
  expectAccessible,
  graphql,
  openPageAs,
  screenshot,
  submit,
} from './environment.ts';
import { act, reviewOf } from './reviews.ts';

/** An archived invoice that the junior reviewer approved. */
async function archived(euros: number): Promise<{ id: string; reference: string; vendor: string }> {
  const { path, vendor } = await drawInvoice(euros);
  const reference = await submit('submitter', path);
  const reviewId = (await reviewOf(reference)).id;
  await act('junior', 'claimReview', { reviewId });
  await act('junior', 'decideReview', { reviewId, decision: 'APPROVE', reason: 'Checked.' });
  const query =
    'query($text: String!) { cases(first: 1, filter: {text: $text}) { nodes { id status } } }';
  const found = async () =>
    (
      await graphql<{ cases: { nodes: { id: string; status: string }[] } }>('manager', query, {
        text: reference,
      })
    ).cases.nodes[0];
  await expect.poll(async () => (await found())?.status).toBe('ARCHIVED');
  return { reference, vendor, id: (await found())?.id ?? '' };
}

test('an archived case that a person finds wrong is corrected by a case of its own', async () => {
  const wrong = await archived(5_320);
  const other = await submit('submitter', (await drawInvoice(5_310, 'pdf', wrong.vendor)).path);
  const { context, page } = await openPageAs('manager');
  await page.goto(`/cases/${wrong.id}`);
  await page.getByRole('heading', { level: 1, name: wrong.reference }).waitFor();

  const others = page.getByRole('region', { name: /^Other documents of / });
  await others.getByRole('link', { name: other }).waitFor();
  await expect.poll(() => others.getByRole('link', { name: wrong.reference }).count()).toBe(0);

  await page.getByRole('button', { name: 'Download' }).click();
  const menu = page.getByRole('menu');
  await menu.getByRole('menuitem', { name: 'Original file' }).waitFor();
  for (const name of ['Archive copy (PDF)', 'Result (JSON)', 'Archive manifest']) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      menu.getByRole('menuitem', { name }).click(),
    ]);
    const failure = await download.failure();
    expect(failure, name).toBeNull();
    await page.getByRole('button', { name: 'Download' }).click();
  }
  await menu.getByRole('menuitem', { name: 'Original file' }).waitFor();
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  await expectAccessible(page, 'an archived case');
  await screenshot(page, 'case-archived');

  await page.getByRole('button', { name: 'Submit a correction' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('pays nothing').waitFor();
  await expectAccessible(page, 'question of a correction');
  await dialog.getByRole('textbox', { name: 'What is wrong' }).fill('The total is 53.20.');
  await dialog.getByRole('button', { name: 'Submit the correction' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(wrong.id));
  await page.getByText(`This case corrects ${wrong.reference}`).first().waitFor();
  await page.goto(`/cases/${wrong.id}`);
  await page.getByRole('region', { name: 'Correction' }).waitFor();
  await expect
    .poll(() => page.getByRole('button', { name: 'Submit a correction' }).count())
    .toBe(0);
  await context.close();

  // The submitter of the archived case sees neither the button nor the correction.
  const submitter = await openPageAs('submitter');
  await submitter.page.goto(`/cases/${wrong.id}`);
  await submitter.page.getByRole('heading', { level: 1, name: wrong.reference }).waitFor();
  await submitter.page.getByRole('button', { name: 'Download' }).waitFor();
  await expect.poll(() => submitter.page.getByText('orrection').count()).toBe(0);
  await submitter.context.close();
});
