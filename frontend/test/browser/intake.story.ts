import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  control,
  drawInvoice,
  environment,
  expectAccessible,
  inEveryView,
  openPageAs,
  screenshot,
  sizes,
} from './environment.ts';
import { atIntake, card, choose, heavy, long, nameOf } from './intake-page.ts';
import { act, waitingReview } from './reviews.ts';

/** Lets a file be chosen with a name and type of one's own, as dropping it does. */
async function drop(
  page: Page,
  files: { name: string; type: string; text: string }[],
): Promise<void> {
  const transfer = await page.evaluateHandle((given) => {
    const carried = new DataTransfer();
    for (const { name, type, text } of given) carried.items.add(new File([text], name, { type }));
    return carried;
  }, files);
  await page
    .getByRole('button', { name: 'Choose files or drop them here' })
    .dispatchEvent('drop', { dataTransfer: transfer });
}

test('several files: a progress bar each, then each document reaches its end, and the page never polls', async () => {
  const clean = await drawInvoice(100);
  const large = await drawInvoice(2_000);
  const scan = await drawInvoice(110, 'png');
  const { context, page } = await openPageAs('submitter');
  await atIntake(page);
  // Slow enough that the bars can be seen.
  const client = await context.newCDPSession(page);
  await client.send('Network.enable');
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1_000 };
  await client.send('Network.emulateNetworkConditions', slow);
  const paths = [clean.path, large.path, scan.path];
  await choose(page, paths);
  for (const path of paths) {
    await page.getByRole('progressbar', { name: `Uploading ${nameOf(path)}` }).waitFor();
    await page.getByRole('button', { name: `Cancel ${nameOf(path)}` }).waitFor();
  }
  await screenshot(page, 'intake-sending');
  await client.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
  await card(page, nameOf(clean.path)).getByText('Approved automatically').waitFor(long);
  await card(page, nameOf(clean.path))
    .getByText('Completed. There are no further steps.')
    .waitFor(long);
  await card(page, nameOf(large.path)).getByText('Waiting for a decision.').waitFor(long);
  await card(page, nameOf(scan.path))
    .getByText('Completed. There are no further steps.')
    .waitFor(long);
  await page.getByText('3 of 3 files received.').waitFor();
  await screenshot(page, 'intake-lived');
  // The reads caused by the last events finish; after that no request is sent.
  let asked = 0;
  let last = Date.now();
  page.on('request', () => {
    asked++;
    last = Date.now();
  });
  while (Date.now() - last < 5_000) await page.waitForTimeout(100);
  asked = 0;
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 5_000)));
  expect(asked).toBe(0);
  await context.close();
});

test('a wrong type is refused before it is sent, and the server says what a file is', async () => {
  const { context, page } = await openPageAs('submitter');
  await atIntake(page);
  const said = async (name: string) => {
    const alert = card(page, name).getByRole('alert');
    await alert.waitFor();
    return alert.locator('p').allTextContents();
  };
  let sent = 0;
  page.on('request', (request) => {
    if ((request.headers()['content-type'] ?? '').startsWith('multipart/')) sent++;
  });
  await drop(page, [{ name: 'letter.docx', type: 'application/msword', text: 'Dear Sir' }]);
  const known = await said('letter.docx');
  expect(sent).toBe(0);
  await drop(page, [
    { name: 'letter.pdf', type: 'application/pdf', text: 'Dear Sir, this is no PDF' },
  ]);
  const found = await said('letter.pdf');
  expect(sent).toBe(1);
  const [message, remedy] = known;
  expect(message).toBe('This kind of file is not supported.');
  expect(found).toEqual(['This file is named .pdf but is plain text.', remedy]);
  // A client without a page gets the same remedy.
  const form = new FormData();
  const query = `mutation($input: SubmitDocumentInput!) { submitDocument(input: $input) {
    userErrors { ... on Refusal { message remedy } } } }`;
  form.append('operations', JSON.stringify({ query, variables: { input: { file: null } } }));
  form.append('map', JSON.stringify({ file: ['variables.input.file'] }));
  form.append('file', new Blob(['Dear Sir']), 'letter.docx');
  const answer = await fetch(`${environment.url}/graphql`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${environment.people.submitter.token}`,
      'GraphQL-Preflight': '1',
    },
    body: form,
  });
  const { data } = (await answer.json()) as {
    data: { submitDocument: { userErrors: { message: string; remedy: string }[] } };
  };
  const [refusal] = data.submitDocument.userErrors;
  expect([refusal?.message, refusal?.remedy]).toEqual([
    'This file is plain text, which is not supported.',
    remedy,
  ]);
  await drop(page, [{ name: 'nothing.pdf', type: 'application/pdf', text: '' }]);
  await card(page, 'nothing.pdf').getByText('The file is empty.').waitFor();
  await expectAccessible(page, 'intake refused');
  await screenshot(page, 'intake-refused');
  await page.getByRole('button', { name: 'Clear cancelled and not accepted' }).click();
  await card(page, 'letter.pdf').waitFor({ state: 'detached' });
  await context.close();
});

test('a cancelled upload is deleted on the server', async () => {
  const { path, name } = await heavy(20);
  const { context, page } = await openPageAs('submitter');
  await atIntake(page);
  // Hold the second piece: otherwise a fast machine finishes the upload before the click.
  let pieces = 0;
  await page.route('**/uploads/*', async (route) => {
    if (route.request().method() !== 'PATCH' || ++pieces !== 2) await route.continue();
  });
  await choose(page, path);
  await expect.poll(() => pieces).toBe(2);
  const gone = page.waitForResponse(
    (answer) => answer.request().method() === 'DELETE' && answer.status() === 204,
  );
  await page.getByRole('button', { name: `Cancel ${name}` }).click();
  await card(page, name).getByText('Cancelled').waitFor();
  await gone;
  await context.close();
});

test('the server restarts while files are sent, and they arrive', async () => {
  const { path, name } = await heavy(30);
  const small = await drawInvoice(120);
  const { context, page } = await openPageAs('submitter');
  await atIntake(page);
  const piece = page.waitForRequest(
    (request) => request.method() === 'PATCH' && request.url().includes('/uploads/'),
  );
  await choose(page, path);
  await piece;
  await control('/server/stop');
  await choose(page, small.path);
  await card(page, nameOf(small.path)).getByText('Interrupted, retrying shortly').waitFor(long);
  await screenshot(page, 'intake-server-away');
  await control('/server/start');
  await card(page, nameOf(small.path))
    .getByText('Completed. There are no further steps.')
    .waitFor(long);
  await card(page, name).getByText('Completed. There are no further steps.').waitFor(long);
  await expect.poll(() => card(page, name).count()).toBe(1);
  await context.close();
});

test('the network fails and recovers while a document is processed, and the page misses no event', async () => {
  const { path } = await drawInvoice(2_300, 'png');
  const { context, page } = await openPageAs('submitter', { size: sizes.phone });
  await atIntake(page);
  await control('/worker/stop');
  await choose(page, path);
  await card(page, nameOf(path))
    .getByRole('link', { name: /^Open CS-/ })
    .waitFor(long);
  await context.setOffline(true);
  // All of its life happens while the page hears nothing.
  await control('/worker/start');
  await expect
    .poll(async () => {
      const answer = await fetch(`${environment.url}/graphql`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Authorization: `Bearer ${environment.people.submitter.token}`,
        },
        body: JSON.stringify({ query: '{ cases(first: 1) { nodes { status } } }' }),
      });
      const { data } = (await answer.json()) as {
        data: { cases: { nodes: { status: string }[] } };
      };
      return data.cases.nodes[0]?.status;
    }, long)
    .toBe('IN_REVIEW');
  await screenshot(page, 'intake-offline-phone');
  await context.setOffline(false);
  const seen = card(page, nameOf(path));
  await seen.getByText('Waiting for a decision.').waitFor(long);
  await expect.poll(() => seen.locator('[aria-current="step"]').textContent()).toMatch(/Review/);
  await expectAccessible(page, 'intake healed');
  await context.close();
});

test('the page is accessible at both widths, in both languages and appearances', async () => {
  const waiting = await drawInvoice(
    2_400,
    'pdf',
    'Gesellschaft für ganz besonders lange Namen '.repeat(7).slice(0, 300).trim(),
  );
  const long300 = join(dirname(waiting.path), `${'a-rather-long-name-of-a-file-'.repeat(8)}.pdf`);
  writeFileSync(long300, readFileSync(waiting.path));
  await inEveryView('submitter', async (page, name) => {
    await page.goto('/intake');
    await page.locator('input[type="file"]').setInputFiles([waiting.path, long300]);
    await chooseRefused(page);
    await page.getByRole('alert').waitFor();
    await card(page, nameOf(long300)).getByRole('link').waitFor(long);
    await page.locator('summary').click();
    await expectAccessible(page, `intake ${name}`);
    await screenshot(page, `intake-${name}`);
  });
});

/** A refused file, whatever the language. */
async function chooseRefused(page: Page): Promise<void> {
  await page.locator('input[type="file"]').setInputFiles({
    name: 'letter.docx',
    mimeType: 'application/msword',
    buffer: Buffer.from('Dear Sir'),
  });
}

test('no empty bar appears while the page loads with a returned document', async () => {
  const review = await waitingReview(2_930);
  await act('junior', 'claimReview', { reviewId: review.id });
  const decision = { reviewId: review.id, decision: 'RETURN', reason: 'Which order is it for?' };
  await act('junior', 'decideReview', decision);
  const { context, page } = await openPageAs('submitter');
  const client = await context.newCDPSession(page);
  await client.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    const look = () => {
      for (const bar of document.querySelectorAll<HTMLElement>('.cs-notice'))
        if (bar.textContent.trim() === '' && bar.offsetHeight > 0) seen.push(bar.outerHTML);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await atIntake(page);
  await page.getByRole('link', { name: /Show/ }).first().waitFor();
  const seen = () => (window as unknown as { seen: string[] }).seen;
  await expect.poll(() => page.evaluate(seen)).toEqual([]);
  await context.close();
});
