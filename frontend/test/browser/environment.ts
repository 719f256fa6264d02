// The environment of a file of stories: the server's address, the users with their tokens, and a
// control endpoint for what no page can do. The Go test test/browser provides it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { leaveWhenAnswered } from './answered.ts';
import { slowDown } from './slow.ts';

export type Username =
  | 'submitter'
  | 'submitter2'
  | 'junior'
  | 'junior2'
  | 'senior'
  | 'manager'
  | 'manager2'
  | 'aml'
  | 'aml2'
  | 'auditor'
  | 'admin'
  | 'admin2';

interface Environment {
  url: string;
  /** The address of the control endpoint. */
  control: string;
  people: Record<Username, { email: string; password: string; token: string }>;
  chromium: string;
  firefox: string;
  /** The folder for screenshots. */
  screenshots: string;
  /** Whether stories that pass take screenshots too. */
  photograph: boolean;
  /** Whether pages are slowed down, to find stories that depend on the speed of the machine. */
  slow: boolean;
}

export const environment: Environment = JSON.parse(process.env.BROWSER_ENVIRONMENT ?? 'null');
if (environment === null) {
  throw new Error('BROWSER_ENVIRONMENT is not set: run go test ./test/browser');
}

/** The viewport sizes that every page has to support. */
export const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

type ControlAction =
  | `/${'server' | 'worker' | 'redis'}/${'stop' | 'start'}`
  | '/tesseract/fails'
  | '/tesseract/works';

async function post<T>(path: string, body?: unknown): Promise<T> {
  const answer = await fetch(environment.control + path, {
    method: 'POST',
    body: JSON.stringify(body ?? {}),
  });
  if (!answer.ok) {
    throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  }
  return (await answer.json()) as T;
}

/** Stops or starts a service, or makes the OCR engine fail. Resolves when it is done. */
export const control = (action: ControlAction) => post<{ done: boolean }>(action);

let drawn = 100;

/**
 * Generates an invoice (a PDF with text, or a scan as PNG) of about the given amount and returns
 * its path, number, vendor and account.
 */
export function drawInvoice(euros: number, kind: 'pdf' | 'png' = 'pdf', vendor = '') {
  drawn += 1;
  const input = { kind, number: drawn, euros, vendor };
  return post<{ path: string; invoice: string; vendor: string; account: string }>(
    '/invoices',
    input,
  );
}

/**
 * Generates a cover letter followed by an invoice; `padding` adds that number of bytes to the file.
 */
export function drawInvoiceWithCover(euros: number, padding = 0) {
  drawn += 1;
  const input = { number: drawn, euros, padding };
  return post<{ path: string; invoice: string }>('/invoices/with-cover', input);
}

/** Generates a PDF with an invoice of another vendor on each page. */
export function drawUnitedInvoices(...euros: number[]) {
  const number = drawn + 1;
  drawn += euros.length;
  return post<{ path: string; invoices: string[] }>('/invoices/united', { number, euros });
}

/** Generates a PDF of one page with the lines as text, and returns its path. */
export function drawLetter(name: string, lines: readonly string[]) {
  return post<{ path: string }>('/letters', { name, lines });
}

/** Sets the claims of a case's reviews to have expired a second ago. */
export const expireClaims = (reference: string) =>
  post<{ done: boolean }>('/claims/expire', { reference });

/** Sets the deadlines of a case's open reviews to an hour ago. */
export const passDeadlines = (reference: string) =>
  post<{ done: boolean }>('/deadlines/pass', { reference });

/** Fills three months with made-up cases; with `open`, their reviews are not decided yet. */
export const makeHistory = (options: { cases?: number; open?: boolean } = {}) =>
  post<{ done: boolean }>('/history', options);

/** Runs a CLI command as the given user. */
export const runCLI = (as: Username, ...args: string[]) =>
  post<{ code: number; out: string; all: string }>('/cli', { as, args });

/**
 * Submits a document with the CLI and returns its case's reference once the case waits, has failed
 * or is final.
 */
export async function submit(as: Username, path: string, ...more: string[]): Promise<string> {
  const said = await runCLI(as, 'submit', '--watch', ...more, path);
  const reference = /CS-[\w-]*\w/.exec(said.all)?.[0];
  if (reference === undefined) {
    throw new Error(`submit: ${said.all}`);
  }
  return reference;
}

/** Sends a GraphQL request with the user's token; throws on request errors, not on userErrors. */
export async function graphql<T>(
  as: Username,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<T> {
  const answer = await fetch(`${environment.url}/graphql`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${environment.people[as].token}`,
    },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await answer.json()) as { data: T; errors?: unknown[] };
  if (errors !== undefined) {
    throw new Error(JSON.stringify(errors));
  }
  return data;
}

/** Lets the second administrator confirm the newest proposal. */
export async function confirmNewest(): Promise<void> {
  const { controlChanges } = await graphql<{ controlChanges: { nodes: { id: string }[] } }>(
    'admin2',
    '{ controlChanges(first: 1, filter: { status: PROPOSED }) { nodes { id } } }',
  );
  const done = await graphql<{ confirmControlChange: { userErrors: { message: string }[] } }>(
    'admin2',
    'mutation($id: ID!) { confirmControlChange(input: { proposalId: $id }) { userErrors { ... on Refusal { message } } } }',
    { id: controlChanges.nodes[0]?.id },
  );
  expect(done.confirmControlChange.userErrors).toEqual([]);
}

let browser: Browser | undefined;

/** After a failed story, prints every open page as text and saves its screenshot. */
afterEach(async ({ task }) => {
  const contexts = browser?.contexts() ?? [];
  if (task.result?.state === 'fail') {
    for (const page of contexts.flatMap((context) => context.pages())) {
      const text = await page
        .locator('body')
        .ariaSnapshot()
        .catch((reason: unknown) => String(reason));
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      process.stdout.write(
        [page.url(), ...lines.slice(0, 60)].map((line) => `shown: ${line}\n`).join(''),
      );
      const name = `failed ${task.name}`.replaceAll(/\W+/g, '-');
      await photograph(page, name).catch(() => undefined);
    }
  }
  for (const context of contexts) await context.close();
});

afterAll(async () => {
  await browser?.close();
});

export interface WindowOptions {
  size?: { width: number; height: number };
  locale?: 'en-GB' | 'zh-CN';
  colorScheme?: 'light' | 'dark';
  /** The screen is touched and has no pointer. */
  touch?: boolean;
  /** How many pixels of the screen a pixel of the page has; 2 with half of the size is a zoom of 200 %. */
  scale?: number;
}

/** A window with one page. */
export interface Window {
  context: BrowserContext;
  page: Page;
}

/** Opens a window without a session. */
export async function openPage(options: WindowOptions = {}): Promise<Window> {
  browser ??= await chromium.launch({
    executablePath: environment.chromium,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const context = await browser.newContext({
    baseURL: environment.url,
    viewport: options.size ?? sizes.desktop,
    deviceScaleFactor: options.scale ?? 1,
    ...(options.touch && { hasTouch: true, isMobile: true }),
    locale: options.locale ?? 'en-GB',
    colorScheme: options.colorScheme ?? 'light',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(120_000);
  leaveWhenAnswered(context);
  if (environment.slow) await slowDown(context);
  const page = await context.newPage();
  page.on('pageerror', (error) => {
    // A superseded query is aborted, and the library leaves that rejection unhandled; it has no
    // effect.
    if (error.name === 'AbortError' || error.message.includes('signal is aborted')) return;
    process.stdout.write(`the page threw at ${page.url()}: ${error.stack ?? error.message}\n`);
    throw new Error(`the page threw: ${error.message}`);
  });
  return { context, page };
}

/**
 * Opens a window with a session of its own and no page loaded yet. The session begins by a request,
 * because loading the form for each window costs more than most stories.
 */
export async function openPageAs(as: Username, options: WindowOptions = {}): Promise<Window> {
  const opened = await openPage(options);
  const { email, password } = environment.people[as];
  const answer = await opened.context.request.post('/auth/sign-in', { data: { email, password } });
  expect(answer.status(), `sign in as ${as}`).toBe(200);
  return opened;
}

/** Fills in the sign-in form, on its page or in the dialog for an ended session. */
export async function signIn(page: Page, as: Username): Promise<void> {
  await page.locator('input[name="email"]').fill(environment.people[as].email);
  await page.locator('input[name="password"]').fill(environment.people[as].password);
  await page.locator('button[type="submit"]').click();
  await page.locator('input[name="password"]').waitFor({ state: 'detached' });
}

export interface View extends Required<Omit<WindowOptions, 'touch' | 'scale'>> {
  name: string;
}

/** Both sizes, in both languages and color schemes. */
export const everyView: View[] = (['en-GB', 'zh-CN'] as const).flatMap((locale) =>
  Object.entries(sizes).flatMap(([name, size]) =>
    (['light', 'dark'] as const).map((colorScheme) => ({
      name: `${name}-${locale}-${colorScheme}`,
      size,
      locale,
      colorScheme,
    })),
  ),
);

/**
 * Calls a check for every view, as the user or without a session. The check loads its pages itself.
 * One window serves all views of a language, so that only its first load is without a cache.
 */
export async function inEveryView(
  as: Username | null,
  check: (page: Page, name: string, view: View) => Promise<void>,
  views = everyView,
): Promise<void> {
  let window: Window | undefined;
  let locale: string | undefined;
  for (const view of views) {
    if (window === undefined || view.locale !== locale) {
      await window?.context.close();
      window = await (as === null ? openPage(view) : openPageAs(as, view));
      locale = view.locale;
    }
    await window.page.setViewportSize(view.size);
    await window.page.emulateMedia({ colorScheme: view.colorScheme });
    await check(window.page, view.name, view);
  }
  await window?.context.close();
}

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

interface Axe {
  run(options: { resultTypes: string[] }): Promise<{ violations: Violation[] }>;
}

/**
 * Checks that axe finds no violations, that the page does not scroll horizontally and that no button is cut off. A page that is still
 * loading or changing its size gets time for it.
 */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  // The address changes before the code of a page has been loaded.
  await page.locator('main, [role="main"]').first().waitFor();
  const sideways = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  await expect
    .poll(sideways, { message: `${name}: pixels scrolled sideways` })
    .toBeLessThanOrEqual(0);
  await expect.poll(() => cutLabels(page), { message: `${name}: buttons cut off` }).toEqual([]);
  const found = async () => (await violationsOf(page)).join('\n');
  await expect.poll(found, { message: name, interval: 500 }).toBe('');
}

/** The texts of buttons that are wider than their buttons. */
function cutLabels(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, button *')]
      // What only a screen reader announces is one pixel wide.
      .filter((one) => one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1)
      .filter((one) => getComputedStyle(one).textOverflow !== 'ellipsis')
      .filter((one) => getComputedStyle(one).overflowX !== 'visible')
      .map((one) => one.textContent ?? ''),
  );
}

/** What axe finds on the page. */
async function violationsOf(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's content security policy does not restrict.
  await page.evaluate(axeSource);
  const violations: Violation[] = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    // The details of what passed are not read.
    return (await axe.run({ resultTypes: ['violations'] })).violations;
  });
  return violations.map(
    (v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html.slice(0, 200)).join(' | ')}`,
  );
}

/** Saves a screenshot of the whole page if the run asks for screenshots; nothing is compared with them. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (environment.photograph) await photograph(page, name);
}

async function photograph(page: Page, name: string): Promise<void> {
  await page.screenshot({
    path: join(environment.screenshots, `${name}.png`),
    fullPage: true,
    animations: 'disabled',
  });
}

/** Prints a measured figure, also when the story passes. */
export function figure(name: string, value: string): void {
  process.stdout.write(`figure: ${name}: ${value}\n`);
}
