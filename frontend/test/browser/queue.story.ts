import { expect, test } from 'vitest';
import { expectAccessible, graphql, inEveryView, openPageAs, screenshot } from './environment.ts';
import { act, releaseReview, reviewOf, row, type Waiting, waiting } from './reviews.ts';

test('an empty queue says when reviews appear, and new reviews appear automatically', async () => {
  const { context, page } = await openPageAs('junior');
  await page.goto('/queue');
  await page.getByText('Your queue is empty').waitFor();
  await page.getByText('appear here automatically').waitFor();
  await expectAccessible(page, 'empty queue');
  await screenshot(page, 'queue-empty');
  const reference = await waiting(2_000);
  await page.getByRole('listitem').filter(row(reference)).waitFor();
  await context.close();
});

test('the queue has only reviews that I may decide, soonest due first', async () => {
  const high = await waiting(600_000);
  const { context, page } = await openPageAs('junior');
  await page.goto('/queue');
  const rows = page.getByRole('list', { name: 'Reviews' }).getByRole('listitem');
  await rows.first().waitFor();
  await expect.poll(() => rows.filter(row(high)).count()).toBe(0);
  const mine = await graphql<{ reviews: { nodes: Waiting[] } }>(
    'junior',
    '{ reviews(first: 100) { nodes { id case { id reference } } } }',
  );
  const shown = async () =>
    (await rows.allTextContents()).map((text) => /CS-\d+-\d+/.exec(text)?.[0]);
  await expect.poll(shown).toEqual(mine.reviews.nodes.map((one) => one.case.reference));
  const boss = await openPageAs('manager');
  await boss.page.goto('/queue');
  await boss.page.getByRole('listitem').filter(row(high)).waitFor();
  await boss.context.close();
  await context.close();
});

test('a colleague claims: the row says so, and a late click shows who claimed it', async () => {
  const reference = await waiting(2_100);
  const review = await reviewOf(reference);
  const { context, page } = await openPageAs('junior');
  await page.clock.install();
  await page.goto('/queue');
  const line = page.getByRole('listitem').filter(row(reference));
  await line.waitFor();
  // The row goes after a few seconds. A slow machine may need more for the click.
  await page.clock.pauseAt(Date.now() + 1_000);
  await act('junior2', 'claimReview', { reviewId: review.id });
  await line.getByText('Claimed by Jun Park').waitFor();
  await screenshot(page, 'queue-colleague-claims');
  await line.getByRole('button', { name: `Claim ${reference}` }).click();
  await line.getByRole('alert').getByText('Jun Park is already working on this review.').waitFor();
  await screenshot(page, 'queue-late-click');
  await page.clock.resume();
  await line.waitFor({ state: 'detached' });
  await act('junior2', 'releaseReview', { reviewId: review.id });
  await page.getByRole('listitem').filter(row(reference)).waitFor();
  await context.close();
});

test('by the keyboard: j, k, Enter, c, n and ?', async () => {
  await waiting(2_300);
  const { context, page } = await openPageAs('junior');
  await page.goto('/queue');
  const links = page.getByRole('list', { name: 'Reviews' }).getByRole('link');
  await links.nth(1).waitFor();
  const focused = () =>
    page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.review ?? '');
  const ids = await links.evaluateAll((all) =>
    all.map((link) => (link as HTMLElement).dataset.review).filter(Boolean),
  );
  await page.keyboard.press('j');
  await expect.poll(() => focused()).toBe(ids[0]);
  await page.keyboard.press('j');
  await expect.poll(() => focused()).toBe(ids[1]);
  await page.keyboard.press('k');
  await expect.poll(() => focused()).toBe(ids[0]);
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Claim the next review').waitFor();
  await screenshot(page, 'queue-keys');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/reviews/**');
  await page.getByRole('heading', { name: 'Fields' }).waitFor();
  await page.getByRole('button', { name: /^Claim/ }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Fields' }).waitFor({ state: 'detached' });
  await links.first().waitFor();
  await page.keyboard.press('n');
  await page.waitForURL('**/reviews/**');
  await releaseReview(page);
  await context.close();
});

test('the filters narrow the list and say when nothing matches', async () => {
  const { context, page } = await openPageAs('senior');
  await page.goto('/queue');
  await page.getByRole('list', { name: 'Reviews' }).waitFor();
  await page.getByText('Mine', { exact: true }).click();
  await page.getByText('You have no reviews').waitFor();
  await page.reload();
  await page.getByText('You have no reviews').waitFor();
  expect(page.url()).toContain('whose=mine');
  await page.getByRole('link', { name: 'Cases' }).click();
  await page.getByRole('link', { name: 'My queue' }).click();
  await page.getByText('You have no reviews').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('list', { name: 'Reviews' }).waitFor();
  // A click anywhere in a row opens its review.
  const line = page.getByRole('list', { name: 'Reviews' }).getByRole('listitem').first();
  await line.click({ position: { x: 90, y: 45 } });
  await page.waitForURL('**/reviews/**');
  await page.goBack();
  await page.getByRole('list', { name: 'Reviews' }).waitFor();
  await context.close();
});

test('the queue is searched and ordered; the address keeps both', async () => {
  const [small, large] = [await waiting(2_210), await waiting(2_910)];
  const { context, page } = await openPageAs('junior');
  await page.goto('/queue');
  const rows = page.getByRole('list', { name: 'Reviews' }).getByRole('listitem');
  await rows.filter(row(large)).waitFor();
  await page.getByLabel('Order').selectOption('Highest amount first');
  await page.waitForURL(/sort=amount_highest/);
  const places = async () => {
    const texts = await rows.allTextContents();
    return [large, small].map((one) => texts.findIndex((text) => text.includes(one)));
  };
  await expect
    .poll(async () => (await places()).every((at, i, all) => at > (all[i - 1] ?? -1)))
    .toBe(true);
  await page
    .getByRole('searchbox', { name: 'Vendor, reference or file' })
    .fill(small.toLowerCase());
  await page.waitForURL(/text=/);
  await expect.poll(() => rows.count()).toBe(1);
  await screenshot(page, 'queue-search');
  await expectAccessible(page, 'queue with a search');
  await page.reload();
  await rows.filter(row(small)).waitFor();
  await expect.poll(() => page.getByLabel('Order').inputValue()).toBe('amount_highest');
  await page.getByRole('searchbox', { name: 'Vendor, reference or file' }).fill('no such vendor');
  await page.getByText('No reviews match these filters').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await rows.filter(row(large)).waitFor();
  await context.close();
});

const longest =
  'Gesellschaft für die Beschaffung außergewöhnlich umständlich benannter Büromaterialien '
    .repeat(4)
    .slice(0, 300);

test('the queue is accessible at both widths, in both languages and appearances', async () => {
  const reference = await waiting(2_400);
  const review = await reviewOf(reference);
  // A person who sets the payee cannot decide the review.
  await act('manager', 'claimReview', { reviewId: review.id });
  const fields = [{ name: 'vendor', value: longest }];
  await act('manager', 'correctFields', { reviewId: review.id, fields, confirm: true });
  await act('senior', 'claimReview', { reviewId: review.id });
  await inEveryView('senior', async (page, name) => {
    await page.goto('/queue');
    await page.getByRole('listitem').filter(row(reference)).waitFor();
    await expectAccessible(page, `queue ${name}`);
    await screenshot(page, `queue-${name}`);
  });
});

test('an error says what to do and can be tried again', async () => {
  const { context, page } = await openPageAs('junior');
  let broken = true;
  await page.routeWebSocket('**/graphql', (socket) => {
    if (!broken) {
      socket.connectToServer();
      return;
    }
    socket.onMessage((text) => {
      const message = JSON.parse(String(text)) as { id?: string; type: string };
      if (message.type === 'connection_init')
        socket.send(JSON.stringify({ type: 'connection_ack' }));
      if (message.type === 'subscribe') {
        const errors = [
          {
            message: 'The server cannot do this now.',
            extensions: { code: 'Unavailable', requestId: 'story-1' },
          },
        ];
        socket.send(JSON.stringify({ id: message.id, type: 'error', payload: errors }));
      }
    });
  });
  await page.goto('/queue');
  await page.getByRole('alert').getByText('story-1').waitFor();
  await expectAccessible(page, 'queue error');
  await screenshot(page, 'queue-error');
  broken = false;
  await page.reload();
  await page.getByRole('list', { name: 'Reviews' }).waitFor();
  await context.close();
});
