// The main path in Firefox: sign in, submit, follow live, claim, correct, approve, see the case and the
// drawings of processes. Playwright drives no Firefox that a distribution ships, so puppeteer does, over
// WebDriver BiDi.
import { join } from 'node:path';
import puppeteer, { type Browser, type ElementHandle, type Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, expect, onTestFailed, test } from 'vitest';
import { drawInvoice, environment, sizes, type Username } from './environment.ts';
import { nameOf } from './intake-page.ts';
import { reviewOf } from './reviews.ts';

let firefox: Browser;

/** What the pages threw, and what their content security policy refused. */
const faults: string[] = [];

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

afterEach(() => {
  expect(faults.splice(0)).toEqual([]);
});

/** Collects the faults of a page: only Firefox reports some of them. */
async function watchFaults(page: Page): Promise<void> {
  page.on('pageerror', (error) => {
    // A superseded query is aborted, which has no effect.
    if (!/aborted/i.test(String(error))) faults.push(`${page.url()}: ${error}`);
  });
  page.on('console', (message) => {
    if (message.text().startsWith('refused: ')) faults.push(`${page.url()}: ${message.text()}`);
  });
  await page.evaluateOnNewDocument(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.warn(`refused: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
}

/** Opens a window of its own and signs in by the form. */
async function signedIn(as: Username): Promise<Page> {
  const context = await firefox.createBrowserContext();
  const page = await context.newPage();
  await watchFaults(page);
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

/** The label of the focused element. */
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');

/** Chooses the file on the page of the submitter and returns the reference of its case. */
async function choose(page: Page, path: string, card: string): Promise<string> {
  const input = await page.waitForSelector('input[type="file"]');
  await (input as ElementHandle<HTMLInputElement>).uploadFile(path);
  await page.waitForSelector(`${card} ::-p-text(In review)`);
  const text = await page.$eval(card, (shown) => shown.textContent);
  return /CS-[\w-]*\w/.exec(text)?.[0] ?? '';
}

/** Changes the last character of the document's number, and saves by Enter. */
async function correctNumber(page: Page): Promise<string> {
  const number = page.locator('[data-field="number"]');
  // Before the claim is recorded, the field takes no text.
  await page.waitForSelector('[data-field="number"]:not(:read-only)');
  const typed = await number
    .map((input) => `${(input as HTMLInputElement).value.slice(0, -1)}Z`)
    .wait();
  await number.click({ count: 3 });
  await page.keyboard.type(typed);
  await page.waitForFunction(
    (value) => document.querySelector<HTMLInputElement>('[data-field="number"]')?.value === value,
    {},
    typed,
  );
  await page.keyboard.press('Enter');
  await page.waitForSelector('[data-row="number"]:not([data-typed])');
  return typed;
}

test('a document is submitted, followed live, corrected and approved in Firefox', async () => {
  // Above the amount up to which an approval is undone instead of asked about.
  const { path } = await drawInvoice(6_600);
  const submitter = await signedIn('submitter');
  await submitter.goto(`${environment.url}/intake`);
  const loadedAt = await submitter.evaluate(() => performance.timeOrigin);
  const card = `article[aria-label="${nameOf(path)}"]`;
  const reference = await choose(submitter, path, card);
  const review = await reviewOf(reference);

  const junior = await signedIn('junior');
  await junior.goto(`${environment.url}/reviews/${review.id}`);
  await button(junior, 'Claim').wait();
  await junior.keyboard.press('c');
  const typed = await correctNumber(junior);
  // The keys of the page apply outside of fields.
  await junior.keyboard.press('Escape');
  await junior.keyboard.press('a');
  await junior.waitForSelector('[role="dialog"]');
  await expect.poll(() => focused(junior)).toMatch(/^Approve/);
  await junior.keyboard.press('Enter');
  await junior.waitForSelector('[role="dialog"]', { hidden: true });
  await junior.waitForSelector('::-p-text(Decided by you)');

  await submitter.waitForSelector(`${card} ::-p-text(Archived)`);
  await expect
    .poll(() => submitter.evaluate(() => performance.timeOrigin), { message: 'loaded again' })
    .toBe(loadedAt);
  await submitter.screenshot({ path: join(environment.screenshots, 'firefox-intake.png') });
  await submitter.locator(`${card} a[href="/cases/${reference}"]`).click();
  await submitter.waitForFunction(
    (named) => document.querySelector('main h1')?.textContent === named,
    {},
    reference,
  );
  await submitter.waitForSelector(`main ::-p-text(${typed})`);
  await expect
    .poll(() => junior.$eval('[data-field="number"]', (input) => (input as HTMLInputElement).value))
    .toBe(typed);
  await junior.screenshot({ path: join(environment.screenshots, 'firefox-review.png') });
});

test('the drawings of a process open in Firefox, and a step is edited', async () => {
  const admin = await signedIn('admin');
  await admin.goto(`${environment.url}/definitions/document_approval`);
  await admin.waitForSelector('.react-flow__node ::-p-text(Read document)');
  await admin.goto(`${environment.url}/definitions/new/edit`);
  // The arrows are drawn once the layout is computed.
  await admin.waitForSelector('.react-flow__edge path');
  await admin.locator('::-p-aria(Edit step Read document[role="button"])').click();
  await admin.waitForSelector(
    '::-p-xpath(//h2[contains(., ": Read document")] | //h3[contains(., ": Read document")])',
  );
  await admin.waitForSelector('::-p-text(Valid:)');
  await admin.screenshot({ path: join(environment.screenshots, 'firefox-designer.png') });
});
