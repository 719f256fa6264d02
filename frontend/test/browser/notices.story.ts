// The bell and the page of notices.
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectAccessible, inEveryView, openPageAs, screenshot, submit } from './environment.ts';

const bell = 'header a[href="/notices"]';

test('an incident rings the bell of its submitter, and opening its notice reads it', async () => {
  const { context, page } = await openPageAs('submitter');
  await page.goto('/notices');
  const all = page.getByRole('button', { name: 'Mark all as read' });
  // The operator made an API token for the person, who is notified.
  await page.getByText('The operator changed accounts or limits').waitFor();
  await all.click();
  await page.getByRole('link', { name: 'Notices', exact: true }).waitFor();
  const broken = join(tmpdir(), `broken-${Date.now()}.png`);
  await writeFile(broken, Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
  const reference = await submit('submitter', broken);
  await page.getByRole('link', { name: 'Notices: 1 unread' }).click();
  const notice = page.getByRole('link', { name: `${reference} cannot continue without help` });
  await notice.waitFor();
  await page.getByText('This installation does not send e-mails.').waitFor();
  await screenshot(page, 'notices-desktop');
  await expectAccessible(page, 'notices');
  await notice.click();
  await page.getByRole('heading', { name: new RegExp(reference) }).waitFor();
  await page.getByRole('link', { name: 'Notices', exact: true }).waitFor();
  await page.goto('/notices');
  await notice.waitFor();
  await page.getByRole('checkbox', { name: 'Only unread' }).check();
  await page.getByText('No notices').waitFor();
  await context.close();
});

test('the page of notices fits every size and language', async () => {
  await inEveryView('submitter', async (page, name) => {
    await page.goto('/notices');
    await page
      .getByRole('link', { name: /cannot continue/ })
      .or(page.getByText(/无法|需要处理/))
      .first()
      .waitFor();
    await expect.poll(() => page.locator(bell).count()).toBe(1);
    await screenshot(page, `notices-${name}`);
    await expectAccessible(page, `notices ${name}`);
  });
});
