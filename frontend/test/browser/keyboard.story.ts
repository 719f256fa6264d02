// Ten documents reviewed by the keyboard alone, one after the other, as a reviewer does it all day.
import { beforeAll, expect, test } from 'vitest';
import { figure, openPageAs, screenshot } from './environment.ts';
import { publishProcess, waitingReview } from './reviews.ts';
import { desktop } from './views.ts';

const documents = 10;

// The last approvals are still to be undone when the story ends.
beforeAll(() =>
  publishProcess('document_approval', (document) => document.replace('undo: 30s', 'undo: 20m')),
);

/** Whether the page shows the fields of another review than that of the reference. */
const isAnotherReview = (reference: string | null) => {
  const shown = document.querySelector('main a[href^="/cases/"]')?.textContent;
  return shown && shown !== reference && document.querySelector('[data-field]') !== null;
};

test('ten clean invoices take one key each', async () => {
  for (let number = 0; number <= documents; number++) await waitingReview(3_000 + 10 * number);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await page.goto('/queue');
  await page.getByRole('button', { name: /^Claim next/ }).waitFor();
  await page.keyboard.press('n');
  const heading = page.locator('main a[href^="/cases/"]').first();
  const seconds: number[] = [];
  const seen = new Set<string>();
  for (let number = 1; number <= documents; number++) {
    await page.getByRole('button', { name: /^Approve and next/ }).waitFor();
    const reference = await heading.textContent();
    seen.add(reference ?? '');
    await screenshot(page, `keyboard-${number}`);
    const begin = performance.now();
    await page.keyboard.press('a');
    await page.waitForFunction(isAnotherReview, reference, { polling: 'raf' });
    seconds.push((performance.now() - begin) / 1_000);
  }
  expect(seen.size).toBe(documents);
  figure('each of ten reviews, seconds', seconds.map((one) => one.toFixed(2)).join(', '));
  seconds.sort((a, b) => a - b);
  const of = (share: number) => (seconds[Math.floor(share * (seconds.length - 1))] ?? 0).toFixed(2);
  figure(
    'from Approve to the fields of the next review',
    `${of(0.5)} s median, ${of(1)} s longest of ${documents}`,
  );
  await context.close();
});
