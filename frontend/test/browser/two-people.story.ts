// Two people, or one person in two sessions, work on the same case at the same time.
import { expect, test } from 'vitest';
import { drawUnitedInvoices, expectAccessible, openPageAs, runCLI, submit } from './environment.ts';
import { claimReview, openReview, reviewOf, waitingReview } from './reviews.ts';
import { desktop, viewed } from './views.ts';

test('two people write notes at the same time, and both notes stay', async () => {
  const review = await waitingReview(9_610);
  const [first, second] = await Promise.all([
    openPageAs('junior', { size: desktop }),
    openPageAs('senior', { size: desktop }),
  ]);
  const texts = ['Called the vendor.', 'The order is 4711.'];
  const pages = [first.page, second.page];
  await Promise.all(
    pages.map(async (page, index) => {
      await openReview(page, review);
      await page.getByRole('textbox', { name: 'New note' }).fill(texts[index] ?? '');
    }),
  );
  await Promise.all(pages.map((page) => page.getByRole('button', { name: 'Add note' }).click()));
  for (const page of pages) {
    const notes = page.getByRole('region', { name: 'Notes', exact: true });
    for (const text of texts) await notes.getByRole('listitem').getByText(text).waitFor();
    await expect.poll(() => page.getByRole('textbox', { name: 'New note' }).inputValue()).toBe('');
  }
  await first.context.close();
  await second.context.close();
});

test('a document that is resubmitted in another session keeps what was typed', async () => {
  const { reference, id } = (await waitingReview(9_620)).case;
  for (const args of [
    ['claim', reference],
    ['decide', reference, 'return', '--reason', 'Which order is this for?'],
  ])
    expect((await runCLI('senior', 'review', ...args)).code).toBe(0);
  const [first, second] = await Promise.all([openPageAs('submitter'), openPageAs('submitter')]);
  for (const [index, page] of [first.page, second.page].entries()) {
    await page.goto(`/cases/${id}`);
    await page.getByRole('textbox', { name: 'Your answer' }).fill(`For order 471${index}.`);
  }
  await first.page.getByRole('button', { name: 'Resubmit' }).click();
  await first.page.getByText('Waiting for a decision.').waitFor();
  await expect.poll(() => first.page.getByText('your answer was not sent').count()).toBe(0);
  const { page } = second;
  await page.getByText('so your answer was not sent').waitFor();
  const kept = page.getByRole('textbox', { name: 'Answer that was not sent' });
  await expect.poll(() => kept.inputValue()).toBe('For order 4711.');
  await page.getByText(/For order 4710/).waitFor();
  await viewed(page, 'answer-not-sent');
  await expectAccessible(page, 'answer that was not sent');
  await page.getByRole('button', { name: 'Discard' }).click();
  await kept.waitFor({ state: 'detached' });
  await first.context.close();
  await second.context.close();
});

test('a person who has a file open sees that another person has split it', async () => {
  const { path } = await drawUnitedInvoices(2_400, 3_400);
  const review = await reviewOf(await submit('submitter', path));
  const [senior, other] = await Promise.all([
    openPageAs('senior', { size: desktop }),
    openPageAs('manager', { size: desktop }),
  ]);
  await claimReview(senior.page, review);
  await openReview(other.page, review);
  await senior.page.getByRole('button', { name: 'Choose the pages' }).click();
  await senior.page.getByRole('button', { name: 'Split into 2 cases' }).click();
  await senior.page.getByRole('dialog', { name: 'New cases' }).waitFor();
  await other.page.getByText('This review is no longer needed').waitFor();
  await other.page.getByText('its file was split').waitFor();
  await expect
    .poll(() => other.page.getByRole('button', { name: /^Claim(?! next)/ }).count())
    .toBe(0);
  await senior.context.close();
  await other.context.close();
});
