import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  drawInvoice,
  environment,
  expectAccessible,
  graphql,
  openPage,
  openPageAs,
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
  await page.getByText(/^Decided by you: Approved/).waitFor();
  const query = `query($id: ID!) { review(id: $id) { decision { verdict signature { passkeyId statement } } } }`;
  const signed = await graphql<{
    review: { decision: { signature: { statement: { verdict: string } } | null } | null };
  }>('manager', query, { id: review.id });
  expect(signed.review.decision?.signature?.statement.verdict).toBe('approve');

  // The review and the case show the signature, with the passkey and how to verify it.
  await page.goto(`${home}/reviews/${review.id}`);
  await page.getByText('Signed with a passkey').click();
  await page.getByText('Passkey: My phone').waitFor();
  await expectAccessible(page, 'review with signature');
  const { cases } = await graphql<{ cases: { nodes: { id: string }[] } }>(
    'manager',
    'query($text: String!) { cases(filter: { text: $text }, first: 1) { nodes { id } } }',
    { text: reference },
  );
  await page.goto(`${home}/cases/${cases.nodes[0]?.id}`);
  const decisions = page.getByRole('region', { name: 'Decisions' });
  await decisions.getByText('Signed with a passkey').click();
  await decisions.getByText('Passkey: My phone').waitFor();
  await decisions.getByText(/SHA-256 of the signed statement: [0-9a-f]{64}/).waitFor();
  await decisions.getByText('countersign audit verify --pack FILE').waitFor();
  await page.getByText(/Review decided \(.*\), signed with a passkey/).waitFor();
  await expectAccessible(page, 'case with signature');
  await screenshot(page, 'case-signature');
  await page.setViewportSize(sizes.phone);
  await page.reload();
  await decisions.getByText('Signed with a passkey').click();
  await decisions.getByText('Passkey: My phone').waitFor();
  await expectAccessible(page, 'case with signature on a phone');
  await screenshot(page, 'case-signature-phone');
  await page.setViewportSize(sizes.desktop);
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: '中文' }).click();
  await page.getByText('已用通行密钥签名', { exact: true }).waitFor();
  await page.getByText('通行密钥：My phone').waitFor();
  await page.getByRole('button', { name: '您的账户' }).click();
  await page.getByRole('menuitem', { name: 'English' }).click();
  await context.close();
});

test('the steps of a process say above which amount approvals are signed', async () => {
  const { context, page } = await openPageAs('manager');
  await page.goto('/definitions/signed_approval');
  await page.getByText('Steps', { exact: true }).click();
  const sentence =
    'Approvals above 1,000.00 USD, or of an unknown amount, are signed with a passkey.';
  await page.getByText(sentence).first().waitFor();
  await expectAccessible(page, 'steps with signatures');
  await screenshot(page, 'process-signature');
  await context.close();
});

test('a password is changed with the present one, and other sessions end', async () => {
  const wanted = 'a new long password';
  const { context, page } = await openPageAs('junior2');
  const elsewhere = await openPageAs('junior2');
  await elsewhere.page.goto('/queue');
  await elsewhere.page.getByRole('heading', { name: 'My queue' }).waitFor();
  await page.goto('/account');
  const form = page.getByRole('region', { name: 'Password' });
  const enter = async (present: string, next: string, again: string) => {
    await form.getByLabel('Current password').fill(present);
    await form.getByLabel('New password', { exact: true }).fill(next);
    await form.getByLabel('Repeat the new password').fill(again);
  };
  const submit = form.getByRole('button', { name: 'Change the password' });
  await enter(environment.people.junior2.password, wanted, `${wanted}!`);
  await form.getByText('The passwords differ.').waitFor();
  await expect.poll(() => submit.isDisabled()).toBe(true);
  await expectAccessible(page, 'own password');
  await enter('not the password', wanted, wanted);
  await submit.click();
  await form.getByRole('alert').waitFor();
  await screenshot(page, 'own-password-refused');
  await enter(environment.people.junior2.password, wanted, wanted);
  await submit.click();
  await form.getByText('Your password was changed. Your other sessions have ended.').waitFor();
  await screenshot(page, 'own-password');
  await page.setViewportSize(sizes.phone);
  await page.reload();
  await form.waitFor();
  await expectAccessible(page, 'own password on a phone');
  await elsewhere.page.reload();
  await elsewhere.page.locator('input[name="password"]').waitFor();
  await elsewhere.page.locator('input[name="email"]').fill(environment.people.junior2.email);
  await elsewhere.page.locator('input[name="password"]').fill(wanted);
  await elsewhere.page.locator('button[type="submit"]').click();
  await elsewhere.page.getByRole('heading', { name: 'My queue' }).waitFor();
  await elsewhere.context.close();
  await context.close();
});

test('a person with a passkey confirms a new password with it', async () => {
  const { context, page } = await openPage();
  await addPhone(context, page);
  await page.goto(`${home}/account`);
  await enterPassword(page, 'junior');
  const passkeys = page.getByRole('region', { name: 'Passkeys' });
  await passkeys.getByLabel('Name of the device').fill('My phone');
  await passkeys.locator('input[type="password"]').fill(environment.people.junior.password);
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
  await passkeys.getByText('The passkey My phone was added.').waitFor();
  const form = page.getByRole('region', { name: 'Password' });
  await form.getByLabel('Current password').fill(environment.people.junior.password);
  await form.getByLabel('New password', { exact: true }).fill('a new long password');
  await form.getByLabel('Repeat the new password').fill('a new long password');
  await form.getByRole('button', { name: 'Change the password' }).click();
  await form.getByText('Your password was changed.').waitFor();
  await context.close();
});
