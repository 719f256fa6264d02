import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  control,
  environment,
  expectAccessible,
  inEveryView,
  openPage,
  openPageAs,
  screenshot,
  signIn,
} from './environment.ts';
import { act, claimReview, openReview, waitingReview } from './reviews.ts';

const field = (page: Page, name: string) =>
  page.getByRole('textbox', { name: new RegExp(`^${name}(?! address)`) });
const focused = (page: Page) =>
  page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.field ?? '');
const litBox = (page: Page) => page.locator('[data-box][data-lit]');

test('by the keyboard alone: claim, correct, see it assessed again, approve, open the next', async () => {
  const review = await waitingReview(12_000);
  await waitingReview(12_050);
  const { context, page } = await openPageAs('junior');
  await openReview(page, review);
  await page.keyboard.press('c');
  await page.getByRole('button', { name: /^Release/ }).waitFor();
  await page.keyboard.press('f');
  await expect.poll(() => focused(page)).toBe('vendor');
  // Without a number the rules run again, and the number has to be checked.
  await expect
    .poll(async () => {
      await page.keyboard.press('ArrowDown');
      return focused(page);
    })
    .toBe('number');
  await expect.poll(() => litBox(page).getAttribute('data-box')).toBe('number');
  const number = await field(page, 'Number').inputValue();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.press('Enter');
  await page.getByText('1 field to check').waitFor();
  await page.getByText('Required fields missing').waitFor();
  await screenshot(page, 'review-assessed-again');
  // Escape leaves the field; Tab comes back in at the one that needs a person, though it is not the first.
  await page.keyboard.press('Escape');
  await page.keyboard.press('f');
  await expect.poll(() => focused(page)).toBe('number');
  await page.keyboard.type(number);
  await page.keyboard.press('Enter');
  await page.getByText('Nothing to check').waitFor();
  // Nothing is left to check, so the focus is on the approval and no key is text.
  await expect
    .poll(() => page.evaluate(() => (document.activeElement as HTMLElement).dataset.verdict ?? ''))
    .toBe('APPROVE');
  // From the first field Tab reaches every other one once, then leaves the form.
  await page.keyboard.press('f');
  const first = await focused(page);
  const reached: string[] = [];
  const fields = await page.locator('[data-field]').count();
  for (let i = 0; i <= fields; i++) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (now === '') break;
    reached.push(now);
  }
  expect(new Set(reached.filter((name) => name !== first)).size).toBe(fields - 1);
  // Behind the fields comes the reason; Escape leaves it.
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Rotate the page').waitFor();
  await screenshot(page, 'review-keys');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('a');
  await page.getByRole('dialog').getByText('Approve this document?').waitFor();
  await screenshot(page, 'review-approve');
  await page.keyboard.press('Enter');
  await page.getByText('Decided by you: Approved').waitFor();
  await screenshot(page, 'review-done');
  await page.keyboard.press('n');
  await page.waitForURL((url) => !url.pathname.endsWith(review.id));
  await page.getByRole('button', { name: /^Release/ }).click();
  await context.close();
});

test('a click on a box goes to its field, and the page turns and grows under it', async () => {
  const review = await waitingReview(2_100, 'png');
  const { context, page } = await openPageAs('junior');
  await openReview(page, review);
  const place = page.getByRole('region', { name: 'Document pages' });
  await expect
    .poll(() =>
      place
        .locator('img')
        .first()
        .evaluate((img: HTMLImageElement) => img.naturalWidth),
    )
    .toBeGreaterThan(500);
  await page.locator('[data-box="total"]').click();
  await expect.poll(() => focused(page)).toBe('total');
  await expect.poll(() => litBox(page).getAttribute('data-box')).toBe('total');
  for (const tool of ['Zoom in', 'Zoom in', 'Zoom in', 'Rotate']) {
    await page.getByRole('button', { name: tool }).click();
  }
  const inside = async () => {
    const [box, outer] = await Promise.all([litBox(page).boundingBox(), place.boundingBox()]);
    return (
      box !== null &&
      outer !== null &&
      box.x >= outer.x &&
      box.y >= outer.y &&
      box.y < outer.y + outer.height
    );
  };
  await expect.poll(inside).toBe(true);
  await screenshot(page, 'review-turned');
  await context.close();
});

test('buttons that cannot be pressed say why, and who can', async () => {
  const review = await waitingReview(600_000);
  const { context, page } = await openPageAs('junior');
  await openReview(page, review);
  const approve = page.getByRole('button', { name: /^Approve/ });
  await expect.poll(() => approve.getAttribute('aria-disabled')).toBe('true');
  await page
    .getByText(/above your limit/)
    .first()
    .waitFor({ state: 'attached' });
  await page.getByText(/Can decide: .*senior/).waitFor();
  await approve.hover();
  await page
    .getByRole('tooltip')
    .getByText(/above your limit/)
    .waitFor();
  await screenshot(page, 'review-limit');
  await context.close();
  const other = await openPageAs('senior');
  await claimReview(other.page, review);
  const reject = other.page.getByRole('button', { name: /^Reject/ });
  await reject.hover();
  await other.page.getByRole('tooltip').getByText('Enter a reason.').waitFor();
  await other.page.getByLabel('Reason').fill('The order was never placed.');
  await reject.click();
  await other.page.getByRole('dialog').getByText('The order was never placed.').waitFor();
  await other.page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await other.page.getByText('Decided by you: Rejected').waitFor();
  await other.context.close();
});

test('values are checked by their type, and an amount of my own moves the review to another reviewer', async () => {
  const review = await waitingReview(2_200);
  const { context, page } = await openPageAs('junior');
  await claimReview(page, review);
  const total = field(page, 'Total');
  await total.fill('1190.555');
  await page.getByText('This currency has 2 decimal places.').waitFor();
  await field(page, 'IBAN').fill('DE89370400440532013001');
  await page.getByText('The check digits are wrong').waitFor();
  await field(page, 'Due date').fill('2026-02-30');
  await page.getByText('Enter a date like').waitFor();
  await screenshot(page, 'review-faults');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await screenshot(page, 'review-refused');
  await page.getByRole('button', { name: 'Undo all' }).click();
  await total.fill('999.99');
  await page.getByText('999.99 EUR').waitFor();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Another reviewer will have to decide').waitFor();
  await screenshot(page, 'review-own-amount');
  await dialog.getByRole('button', { name: 'Save and pass on' }).click();
  await page.getByText('Saved and passed to another reviewer').waitFor();
  await context.close();
});

test('typed values survive going back, reloading, and the end of the session', async () => {
  const review = await waitingReview(2_300);
  const { context, page } = await openPageAs('junior');
  await page.goto('/queue');
  await page.getByRole('button', { name: `Claim ${review.case.reference}` }).click();
  await page.getByRole('heading', { name: 'Fields' }).waitFor();
  await field(page, 'Vendor').fill('Typed and not saved');
  // Before the draft is sent.
  await page.goBack();
  await page.getByRole('list', { name: 'Reviews' }).waitFor();
  await page.goForward();
  await expect.poll(() => field(page, 'Vendor').inputValue()).toBe('Typed and not saved');
  await page.getByLabel('Reason').fill('Half a rea');
  await page.getByText('Draft saved').waitFor();
  await page.reload();
  await expect.poll(() => field(page, 'Vendor').inputValue()).toBe('Typed and not saved');
  await expect.poll(() => page.getByLabel('Reason').inputValue()).toBe('Half a rea');
  await context.clearCookies();
  await page.getByLabel('Reason').fill('Half a reason');
  await page.getByRole('dialog').getByText('Sign in again').waitFor();
  await page.locator('input[name="password"]').fill(environment.people.junior.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('input[name="password"]').waitFor({ state: 'detached' });
  await page.getByText('Draft saved').waitFor();
  await expect.poll(() => page.getByLabel('Reason').inputValue()).toBe('Half a reason');
  await expect.poll(() => field(page, 'Vendor').inputValue()).toBe('Typed and not saved');
  await page.getByRole('button', { name: /^Release/ }).click();
  await context.close();
});

test('the server restarts during a review, and nothing is lost', async () => {
  const review = await waitingReview(2_400);
  const { context, page } = await openPageAs('junior');
  await claimReview(page, review);
  await control('/server/stop');
  await field(page, 'Number').fill('Typed while it was away');
  await page.getByText('The draft has not been saved yet').waitFor();
  await screenshot(page, 'review-server-away');
  await control('/server/start');
  await page.getByText('Draft saved').waitFor();
  await page.getByRole('button', { name: /Save 1 correction/ }).click();
  await page.getByRole('button', { name: /Save 1 correction/ }).waitFor({ state: 'detached' });
  await context.close();
});

const longest =
  'Gesellschaft für die Beschaffung außergewöhnlich umständlich benannter Büromaterialien '
    .repeat(4)
    .slice(0, 300);

test('the page is accessible at both widths, in both languages and appearances', async () => {
  const review = await waitingReview(2_500, 'png', longest);
  await act('manager', 'claimReview', { reviewId: review.id });
  const fields = [
    { name: 'vendor', value: longest },
    { name: 'number', value: '' },
  ];
  await act('manager', 'correctFields', { reviewId: review.id, fields, confirm: true });
  // The engine does not read a name of this length with certainty, so the manager keeps the review.
  await act('manager', 'releaseReview', { reviewId: review.id });
  await act('senior', 'claimReview', { reviewId: review.id });
  await inEveryView('senior', async (page, name, { colorScheme }) => {
    await page.goto(`/reviews/${review.id}`);
    await page.locator('#field-total').focus();
    await expectAccessible(page, `review ${name}`);
    await screenshot(page, `review-${name}`);
    if (name.startsWith('phone-en-GB')) {
      await page.getByText('Pages', { exact: true }).click();
      await page.getByRole('region', { name: 'Document pages' }).waitFor();
      await expectAccessible(page, `review pages ${colorScheme}`);
      await screenshot(page, `review-phone-pages-${colorScheme}`);
    }
  });
});

test('a review that is not for me is not found', async () => {
  const { context, page } = await openPage();
  await page.goto('/reviews/nonsense');
  await signIn(page, 'junior');
  await page.getByText(/Review not found|This could not be loaded/).waitFor();
  await expectAccessible(page, 'no review');
  await screenshot(page, 'review-none');
  await context.close();
});
