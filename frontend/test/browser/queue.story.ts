import { expect, test } from 'vitest';
import {
  drawInvoice,
  expectAccessible,
  figure,
  graphql,
  inEveryView,
  openPageAs,
  screenshot,
  submit,
  type Username,
} from './environment.ts';

interface Waiting {
  id: string;
  case: { id: string; reference: string };
}

/** Sends an invoice that a person has to look at, and returns its reference. */
async function waiting(euros: number, vendor = ''): Promise<string> {
  return submit('submitter', (await drawInvoice(euros, 'pdf', vendor)).path);
}

async function reviewOf(reference: string, as: Username = 'manager'): Promise<Waiting> {
  const query = '{ reviews(first: 100) { nodes { id case { id reference } } } }';
  const { reviews } = await graphql<{ reviews: { nodes: Waiting[] } }>(as, query);
  const found = reviews.nodes.find((one) => one.case.reference === reference);
  if (found === undefined) {
    throw new Error(`no review of ${reference}`);
  }
  return found;
}

async function act(as: Username, command: string, input: Record<string, unknown>): Promise<void> {
  const type = `${command[0]?.toUpperCase()}${command.slice(1)}Input`;
  const query = `mutation($input: ${type}!) { ${command}(input: $input) { userErrors { ... on Refusal { message } } } }`;
  const said = await graphql<Record<string, { userErrors: { message: string }[] }>>(as, query, {
    input,
  });
  expect(said[command]?.userErrors).toEqual([]);
}

const row = (reference: string) => ({ hasText: reference });

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
  expect(await rows.filter(row(high)).count()).toBe(0);
  const mine = await graphql<{ reviews: { nodes: Waiting[] } }>(
    'junior',
    '{ reviews(first: 100) { nodes { id case { id reference } } } }',
  );
  const shown = (await rows.allTextContents()).map((text) => /CS-\d+-\d+/.exec(text)?.[0]);
  expect(shown).toEqual(mine.reviews.nodes.map((one) => one.case.reference));
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
  await page.goto('/queue');
  const line = page.getByRole('listitem').filter(row(reference));
  await line.waitFor();
  await act('junior2', 'claimReview', { reviewId: review.id });
  await line.getByText('Claimed by Jun Park').waitFor();
  await screenshot(page, 'queue-colleague-claims');
  await line.getByRole('button', { name: `Claim ${reference}` }).click();
  await line.getByRole('alert').getByText('Jun Park is already working on this review.').waitFor();
  await screenshot(page, 'queue-late-click');
  await line.waitFor({ state: 'detached' });
  await act('junior2', 'releaseReview', { reviewId: review.id });
  await page.getByRole('listitem').filter(row(reference)).waitFor();
  await context.close();
});

test('from the commit to the pixels', async () => {
  const reference = await waiting(2_200);
  const review = await reviewOf(reference);
  const { context, page } = await openPageAs('junior');
  await page.goto('/queue');
  const line = page.getByRole('listitem').filter(row(reference));
  await line.waitFor();
  const took: number[] = [];
  const calls: number[] = []; // what one command takes on this machine just now
  for (let i = 0; i < 15; i++) {
    const seen = page.evaluate(
      (name) =>
        new Promise<number>((resolve) => {
          const look = () => {
            const items = [...document.querySelectorAll('li')];
            if (
              !items.some(
                (item) =>
                  item.textContent?.includes(name) && item.textContent.includes('Claimed by'),
              )
            )
              return;
            observer.disconnect();
            requestAnimationFrame(() => resolve(Date.now()));
          };
          const observer = new MutationObserver(look);
          observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        }),
      reference,
    );
    const sent = performance.now();
    await act('junior2', 'claimReview', { reviewId: review.id });
    calls.push(performance.now() - sent);
    const shown = await seen;
    const query = 'query($id: ID!) { case(id: $id) { lastEvents(last: 1) { type at } } }';
    const { case: kase } = await graphql<{ case: { lastEvents: { type: string; at: string }[] } }>(
      'junior2',
      query,
      {
        id: review.case.id,
      },
    );
    expect(kase.lastEvents[0]?.type).toBe('review.claimed');
    took.push(shown - Date.parse(kase.lastEvents[0]?.at ?? ''));
    await act('junior2', 'releaseReview', { reviewId: review.id });
    await line.getByRole('button', { name: `Claim ${reference}` }).waitFor();
    await line.getByText('Unassigned', { exact: true }).waitFor();
    // The server reads a list at most once in 200 ms for one watcher: the next claim comes from rest, as a colleague's does.
    await page.waitForTimeout(300);
  }
  took.sort((a, b) => a - b);
  calls.sort((a, b) => a - b);
  figure('queue: event commit to pixels, median of 15', `${took[7]} ms (longest ${took[14]} ms)`);
  // A second where the machine is free; where it is not, the commands say how much slower it is.
  expect(took[7]).toBeLessThan(Math.max(1_000, 20 * (calls[7] ?? 0)));
  await context.close();
});

test('size of a first visit, and time until the queue is painted', async () => {
  const { context, page } = await openPageAs('junior');
  await page.goto('/');
  const fresh = await context.newPage();
  const client = await context.newCDPSession(fresh);
  await client.send('Network.enable');
  await client.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  const scripts = new Set<string>();
  client.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.mimeType.includes('javascript')) scripts.add(requestId);
  });
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await fresh.goto('/queue');
  await fresh.getByRole('list', { name: 'Reviews' }).waitFor();
  const paint = await fresh.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let last = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) last = entry.startTime;
        }).observe({ type: 'largest-contentful-paint', buffered: true });
        setTimeout(() => resolve(last), 500);
      }),
  );
  figure('queue: largest paint', `${Math.round(paint)} ms`);
  figure('queue: JavaScript over the wire, sign-in and queue', `${Math.round(bytes / 1000)} kB`);
  expect(bytes).toBeLessThanOrEqual(300_000);
  expect(paint).toBeLessThan(30_000); // catches hangs; how long it takes is the figure above
  await page.close();
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
  expect(await focused()).toBe(ids[0]);
  await page.keyboard.press('j');
  expect(await focused()).toBe(ids[1]);
  await page.keyboard.press('k');
  expect(await focused()).toBe(ids[0]);
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
  await page.getByRole('button', { name: /^Release/ }).click();
  await page.getByRole('button', { name: /^Claim/ }).waitFor();
  await context.close();
});

test('the filters narrow the list and say when nothing matches', async () => {
  const { context, page } = await openPageAs('senior');
  await page.goto('/queue');
  await page.getByRole('list', { name: 'Reviews' }).waitFor();
  await page.getByText('Mine', { exact: true }).click();
  await page.getByText('You have no reviews').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('list', { name: 'Reviews' }).waitFor();
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
}, 180_000);

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
