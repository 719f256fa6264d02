// The main path in Firefox: sign in, submit, follow live, claim, correct, approve. Playwright drives no
// Firefox that a distribution ships, so puppeteer does, over WebDriver BiDi.
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { drawInvoice, environment, sizes, type Username } from './environment.ts';
import { nameOf } from './intake-page.ts';
import { reviewOf } from './reviews.ts';

let firefox: Browser;

beforeAll(async () => {
  firefox = await puppeteer.launch({
    browser: 'firefox',
    executablePath: environment.firefox,
    headless: true,
    extraPrefsFirefox: { 'intl.accept_languages': 'en-GB', 'ui.prefersReducedMotion': 1 },
  });
});

afterAll(async () => {
  await firefox.close();
});

/** Opens a window of its own and signs in by the form. */
async function signedIn(as: Username): Promise<Page> {
  const context = await firefox.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.setViewport(sizes.desktop);
  onTestFailed(async () => {
    process.stdout.write(`shown: ${page.url()}\n`);
    await page.screenshot({ path: join(environment.screenshots, `failed-firefox-${as}.png`) });
  });
  await page.goto(`${environment.url}/sign-in`);
  await page.locator('input[name="email"]').fill(environment.people[as].email);
  await page.locator('input[name="password"]').fill(environment.people[as].password);
  await page.locator('button[type="submit"]').click();
  await page.waitForSelector('input[name="password"]', { hidden: true });
  return page;
}

const button = (page: Page, name: string) =>
  page.locator(`::-p-xpath(//button[starts-with(normalize-space(.), "${name}")])`);

test('a document is submitted, followed live, corrected and approved in Firefox', async () => {
  // Above the amount up to which an approval is undone instead of asked about.
  const { path } = await drawInvoice(6_600);
  const submitter = await signedIn('submitter');
  await submitter.goto(`${environment.url}/intake`);
  const chooser = await submitter.waitForSelector('input[type="file"]');
  await (chooser as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
  const card = `article[aria-label="${nameOf(path)}"]`;
  await submitter.waitForSelector(`${card} ::-p-text(In review)`);
  const reference = await submitter.$eval(
    card,
    (shown) => /CS-[\w-]*\w/.exec(shown.textContent)?.[0],
  );
  const review = await reviewOf(reference ?? '');

  const junior = await signedIn('junior');
  await junior.goto(`${environment.url}/reviews/${review.id}`);
  await button(junior, 'Claim').click();
  const number = junior.locator('[data-field="number"]');
  // Before the claim is recorded, the field takes no text.
  await junior.waitForSelector('[data-field="number"]:not(:read-only)');
  // One character was misread.
  const typed = await number
    .map((input) => `${(input as HTMLInputElement).value.slice(0, -1)}Z`)
    .wait();
  await number.click({ count: 3 });
  await junior.keyboard.type(typed);
  await junior.waitForFunction(
    (value) => document.querySelector<HTMLInputElement>('[data-field="number"]')?.value === value,
    {},
    typed,
  );
  await junior.keyboard.press('Enter');
  await junior.keyboard.press('a');
  await junior.waitForSelector('[role="dialog"]');
  await junior.keyboard.press('Enter');
  await submitter.waitForSelector(`${card} ::-p-text(Archived)`);
  await expect
    .poll(() => number.map((input) => (input as HTMLInputElement).value).wait())
    .toBe(typed);
  await submitter.screenshot({ path: join(environment.screenshots, 'firefox-intake.png') });
  await junior.screenshot({ path: join(environment.screenshots, 'firefox-review.png') });
});
