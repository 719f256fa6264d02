import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  drawInvoice,
  environment,
  expectAccessible,
  graphql,
  openPage,
  screenshot,
  sizes,
  submit,
  type Username,
} from './environment.ts';
import { publishProcess, reviewOf } from './reviews.ts';

// Authenticators make keys for domains, not for IP addresses.
const home = environment.url.replace('127.0.0.1', 'localhost');

/** Plugs a phone into the browser, which confirms by itself. */
async function addPhone(context: BrowserContext, page: Page): Promise<void> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function enterPassword(page: Page, as: Username): Promise<void> {
  await page.locator('input[name="email"]').fill(environment.people[as].email);
  await page.locator('input[name="password"]').fill(environment.people[as].password);
  await page.locator('button[type="submit"]').click();
}

test('a passkey is added, signs in, and signs an approval', async () => {
  await publishProcess('document_approval', (document) =>
    document
      .replace('key: document_approval', 'key: signed_approval')
      .replace('    bulk:', '    signature_above: 100000\n    bulk:'),
  );
  const reference = await submit(
    'submitter',
    (await drawInvoice(2_000)).path,
    '--process',
    'signed_approval',
  );
  const review = await reviewOf(reference);
  const { context, page } = await openPage();
  await addPhone(context, page);
  await page.goto(`${home}/account`);
  await enterPassword(page, 'senior');
  const passkeys = page.getByRole('region', { name: 'Passkeys' });
  await passkeys.getByText('No passkeys').waitFor();
  await passkeys.getByLabel('Name of the device').fill('My phone');
  await passkeys.locator('input[type="password"]').fill('not the password');
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
  await passkeys.getByRole('alert').waitFor();
  await passkeys.locator('input[type="password"]').fill(environment.people.senior.password);
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
  await passkeys.getByText('The passkey My phone was added.').waitFor();
  await screenshot(page, 'passkeys');
  // The same phone is not registered twice.
  await passkeys.getByLabel('Name of the device').fill('My phone again');
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
  await passkeys.getByText('This authenticator is registered already.').waitFor();
  await expectAccessible(page, 'passkeys');
  await page.setViewportSize(sizes.phone);
  await screenshot(page, 'passkeys-phone');
  await page.setViewportSize(sizes.desktop);

  await page.getByRole('button', { name: /account: /i }).click();
  await page.getByRole('menuitem', { name: /sign out/i }).click();
  await page.locator('input[name="password"]').waitFor();
  await enterPassword(page, 'senior');
  await page.getByText('This account signs in with a passkey.').waitFor();
  await screenshot(page, 'sign-in-passkey-required');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.locator('input[name="password"]').waitFor({ state: 'detached' });

  await page.goto(`${home}/reviews/${review.id}`);
  await page.getByRole('button', { name: /^Claim/ }).click();
  await page.getByRole('button', { name: /^Release/ }).waitFor();
  await page.getByRole('button', { name: /^Approve/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('You sign this approval with your passkey.').waitFor();
  await screenshot(page, 'approval-to-sign');
  await dialog.getByRole('button', { name: /^Approve/ }).click();
  await page
    .getByText(/approved|Approved/)
    .first()
    .waitFor();
  const query = `query($id: ID!) { review(id: $id) { decision { verdict signature { passkeyId statement } } } }`;
  const signed = await graphql<{
    review: { decision: { signature: { statement: { verdict: string } } | null } | null };
  }>('manager', query, { id: review.id });
  expect(signed.review.decision?.signature?.statement.verdict).toBe('approve');
  await context.close();
});
