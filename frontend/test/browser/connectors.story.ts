import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  drawInvoice,
  expectAccessible,
  openPageAs,
  runCLI,
  screenshot,
  sizes,
  submit,
} from './environment.ts';

/** A receiver of webhooks that lists what it has. */
const received = new Map<string, string>();
let receiver: Server;
let address = '';

beforeAll(async () => {
  receiver = createServer((request, response) => {
    if (request.method === 'GET') {
      const query = new URL(request.url ?? '', 'http://x').searchParams;
      const listed = [...received].filter(
        ([, at]) => at >= (query.get('from') ?? '') && at < (query.get('to') ?? ''),
      );
      response.end(listed.map(([id]) => `${id}\n`).join(''));
      return;
    }
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const event = JSON.parse(body);
      received.set(event.id, event.time);
      response.end();
    });
  });
  await new Promise<void>((listens) => receiver.listen(0, '127.0.0.1', listens));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});

afterAll(() => receiver.close());

test('a connector is proposed by one administrator, confirmed by another, tested and paused', async () => {
  const { context, page } = await openPageAs('admin');
  await page.goto('/admin/connectors');
  await page.getByText('No connectors').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('books');
  await page.getByRole('textbox', { name: 'Address' }).fill('https://books.example/hook');
  await page.getByRole('textbox', { name: 'Secrets' }).fill('books-1');
  await page.getByRole('textbox', { name: 'Reason' }).fill('Ledger');
  await page.getByRole('button', { name: 'Propose' }).click();
  await page.getByText(/books proposed\. Another administrator/).waitFor();
  const second = await openPageAs('admin2');
  await second.page.goto('/admin/controls');
  await second.page
    .getByRole('list', { name: 'Waiting for confirmation' })
    .getByRole('listitem')
    .filter({ hasText: 'Connector books' })
    .getByRole('button', { name: 'Confirm' })
    .click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await second.page.getByText(/^Connector books: .*confirmed\.$/).waitFor();
  await second.context.close();
  await page.goto('/admin/connectors');
  const card = page.getByRole('region', { name: 'books' });
  await card.getByText('Active').waitFor();
  await card.getByRole('button', { name: 'Send a test event' }).click();
  await card.getByText(/The secret "books-1" is not in COUNTERSIGN_CONNECTOR_SECRETS/).waitFor();
  await card.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('books is paused.').waitFor();
  await card.getByText('Paused').waitFor();
  await expectAccessible(page, 'connectors');
  await screenshot(page, 'admin-connectors');
  await page.setViewportSize(sizes.phone);
  const sideways = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  await expect.poll(sideways).toBeLessThanOrEqual(0);
  await screenshot(page, 'admin-connectors-phone');
  await card.getByRole('button', { name: 'Resume' }).click();
  await card.getByText('Active').waitFor();
  await context.close();
});

test('events that a receiver lost are found and delivered again', async () => {
  await runCLI(
    'admin',
    'connector',
    'put',
    'hook',
    address,
    '--secret',
    'story',
    '--type',
    'case.submitted',
    '--audience',
    'staff',
    '--reason',
    'story',
  );
  const second = await openPageAs('admin2');
  await second.page.goto('/admin/controls');
  await second.page
    .getByRole('listitem')
    .filter({ hasText: 'Connector hook' })
    .getByRole('button', { name: 'Confirm' })
    .click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await second.page.getByText(/^Connector hook: .*confirmed\.$/).waitFor();
  await second.context.close();
  await submit('submitter', (await drawInvoice(70)).path);
  await submit('submitter', (await drawInvoice(71)).path);
  const submitted = () => [...received.keys()].filter((id) => !id.startsWith('test/'));
  await expect.poll(() => submitted().length).toBe(2);

  const { context, page } = await openPageAs('admin');
  await page.goto('/admin/connectors');
  const card = page.getByRole('region', { name: 'hook' });
  const compare = card.getByRole('button', { name: 'Compare the last 7 days' });
  await card.getByText('2 delivered').waitFor();
  await compare.click();
  await card.getByText(/The receiver has all events\. 2 events compared/).waitFor();
  const lost = submitted()[0] ?? '';
  received.delete(lost);
  await compare.click();
  await card.getByText('1 event is missing at the receiver:').waitFor();
  await card.getByText(lost).waitFor();
  await expectAccessible(page, 'a difference of a connector');
  await screenshot(page, 'connector-difference');
  await card.getByRole('button', { name: 'Deliver all events since then again' }).click();
  await page.getByText(/hook delivers the events since .* again\./).waitFor();
  await expect.poll(() => submitted().length).toBe(2);
  await context.close();
});
