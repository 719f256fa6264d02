// Notes about a case: who reads them, live; mentions by the keyboard, files, and the watch of a case.
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { graphql, openPageAs, screenshot } from './environment.ts';
import { act, claimReview, openReview, waitingReview } from './reviews.ts';
import { desktop, viewed } from './views.ts';

const notes = (page: Page) => page.getByRole('region', { name: 'Notes', exact: true });
const area = (page: Page) => page.getByRole('textbox', { name: 'New note' });
const files = (page: Page) => notes(page).locator('input[type="file"]');
const items = (page: Page) =>
  notes(page).getByRole('list', { name: 'Notes' }).getByRole('listitem');

test('reviewers write for each other, by the keyboard, and the submitter sees nothing of it', async () => {
  const review = await waitingReview(2_700);
  const their = await openPageAs('submitter', { size: desktop });
  await their.page.goto(`/cases/${review.case.id}`);
  await notes(their.page).getByText('No notes yet.').waitFor();
  const senior = await openPageAs('senior', { size: desktop });
  await openReview(senior.page, review);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await claimReview(page, review);
  await area(page).focus();
  await page.keyboard.type('Is the account new? @sen');
  const people = notes(page).getByRole('list', { name: 'People you can mention' });
  await expect.poll(() => people.getByRole('listitem').allTextContents()).toEqual(['senior']);
  await screenshot(page, 'notes-people');
  await page.keyboard.press('Enter'); // mentions the person, writes no line
  await expect.poll(() => area(page).inputValue()).toBe('Is the account new? @senior ');
  await page.keyboard.press('a'); // a letter, no verdict
  await page.keyboard.press('Control+Enter');
  await items(page).getByText('Is the account new? @senior a').waitFor();
  await expect.poll(() => area(page).inputValue()).toBe('');
  await items(page).getByText('Reviewers', { exact: true }).waitFor();
  await items(senior.page).getByText('Is the account new? @senior a').waitFor();
  await senior.page.getByRole('link', { name: /^Notices: \d+ unread/ }).waitFor();
  // A note for everyone comes later, and it is the only one that the submitter gets.
  await area(page).fill('<img src=x onerror=alert(1)> & please send the delivery note');
  await notes(page).getByLabel('Readers').selectOption('EVERYONE');
  await notes(page).getByRole('button', { name: 'Add note' }).click();
  await items(their.page).getByText('<img src=x onerror=alert(1)>').waitFor();
  await expect.poll(() => items(their.page).count()).toBe(1);
  await expect.poll(() => notes(their.page).locator('img').count()).toBe(0);
  await expect.poll(() => their.page.content()).not.toContain('Is the account new?');
  await viewed(their.page, 'notes-submitter');
  await viewed(page, 'notes-reviewer');
  await their.context.close();
  await senior.context.close();
  await context.close();
});

test('a note carries files, and its author withdraws it', async () => {
  const review = await waitingReview(2_710);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await page.goto(`/cases/${review.case.id}`);
  const path = join(tmpdir(), `letter-${Date.now()}.html`);
  await writeFile(path, '<script>document.title = "taken over"</script>Total 9,999,999.00');
  await files(page).setInputFiles(path);
  await notes(page)
    .getByText(/^letter-\d+\.html/)
    .waitFor();
  await expect
    .poll(() => notes(page).getByRole('button', { name: 'Add note' }).isDisabled())
    .toBe(true);
  await area(page).fill('The letter of the vendor');
  await notes(page).getByRole('button', { name: 'Add note' }).click();
  const link = items(page).getByRole('link', { name: /letter-/ });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  const saved = await readFile(await download.path(), 'utf8');
  expect(saved).toContain('taken over');
  // What the file says changes no value.
  const { case: shown } = await graphql<{ case: { amount: { amount: string } | null } }>(
    'manager',
    'query($id: ID!) { case(id: $id) { amount { amount } } }',
    { id: review.case.id },
  );
  expect(shown.amount?.amount).not.toContain('9999999');
  const address = await link.getAttribute('href');
  await items(page).getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await items(page).getByText('The author withdrew this note.').waitFor();
  await expect.poll(() => notes(page).getByText('The letter of the vendor').count()).toBe(0);
  expect((await context.request.get(address ?? '')).status()).toBe(404);
  await context.close();
});

test('who watches a case gets a notice about the next note, and stops it', async () => {
  const review = await waitingReview(2_720);
  const { context, page } = await openPageAs('manager2', { size: desktop });
  await page.goto(`/cases/${review.case.id}`);
  await notes(page).getByRole('button', { name: 'Watch', exact: true }).click();
  await notes(page).getByRole('button', { name: 'Watching', pressed: true }).waitFor();
  const { addNote } = await graphql<{ addNote: { userErrors: unknown[] } }>(
    'junior',
    'mutation($input: AddNoteInput!) { addNote(input: $input) { userErrors { ... on Refusal { message } } } }',
    { input: { caseId: review.case.id, text: 'Seen by a watcher' } },
  );
  expect(addNote.userErrors).toEqual([]);
  await items(page).getByText('Seen by a watcher').waitFor();
  await page.goto('/notices');
  await page.getByRole('link', { name: new RegExp(review.case.reference) }).waitFor();
  await page.goto(`/cases/${review.case.id}`);
  await notes(page).getByRole('button', { name: 'Watching' }).click();
  await notes(page).getByRole('button', { name: 'Watch', exact: true }).waitFor();
  await context.close();
});

test('a notice is shown that arrives between the read of the list and its first live counter', async () => {
  const review = await waitingReview(2_730);
  const { context, page } = await openPageAs('manager2', { size: desktop });
  const held: (() => void)[] = [];
  let holding = true;
  await page.routeWebSocket('**/graphql', (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      if (holding) held.push(() => socket.send(message));
      else socket.send(message);
    });
  });
  await page.goto('/notices');
  await page.getByRole('checkbox', { name: 'Only unread' }).waitFor();
  await page
    .getByText('No notices', { exact: true })
    .or(page.getByRole('list', { name: 'Notices' }))
    .waitFor();
  await act('manager2', 'watchCase', { caseId: review.case.id, watch: true });
  await act('junior', 'addNote', { caseId: review.case.id, text: 'Seen by a watcher' });
  await expect
    .poll(() =>
      graphql<{ notices: { nodes: { reference: string | null }[] } }>(
        'manager2',
        '{ notices { nodes { reference } } }',
      ).then(({ notices }) => notices.nodes.map(({ reference }) => reference)),
    )
    .toContain(review.case.reference);
  holding = false;
  for (const send of held) send();
  await page.getByRole('link', { name: new RegExp(review.case.reference) }).waitFor();
  await context.close();
});
