// The world of a file of stories: the address of the server, people with their keys, and the desk where a story asks
// for what no page can do. It is made by the Go test test/browser.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';

export type Who =
  | 'submitter'
  | 'submitter2'
  | 'junior'
  | 'junior2'
  | 'senior'
  | 'manager'
  | 'manager2'
  | 'aml'
  | 'auditor'
  | 'admin'
  | 'admin2';

interface World {
  url: string;
  desk: string;
  people: Record<Who, { email: string; password: string; token: string }>;
  chromium: string;
  /** Folder for pictures of pages. */
  shots: string;
}

export const world: World = JSON.parse(process.env.BROWSER_WORLD ?? 'null');
if (world === null) {
  throw new Error('BROWSER_WORLD is not set: run go test ./test/browser');
}

/** Widths at which every page has to hold. */
export const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

type DeskAct =
  | `/${'server' | 'worker' | 'redis'}/${'stop' | 'start'}`
  | '/tesseract/fails'
  | '/tesseract/works';

async function post<T>(path: string, body?: unknown): Promise<T> {
  const answer = await fetch(world.desk + path, {
    method: 'POST',
    body: JSON.stringify(body ?? {}),
  });
  if (!answer.ok) {
    throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  }
  return (await answer.json()) as T;
}

/** Stops or starts a part, or lets the engine fail. Resolves when it is done. */
export const desk = (act: DeskAct) => post<{ done: boolean }>(act);

let drawn = 100;

/** Draws an invoice (a PDF with text, or a scan as PNG) over about so many euros and returns its path and number. */
export function paper(euros: number, kind: 'pdf' | 'png' = 'pdf', vendor = '') {
  drawn += 1;
  return post<{ path: string; invoice: string }>('/paper', { kind, number: drawn, euros, vendor });
}

/** Draws a cover letter with an invoice behind it; `padding` makes the file so many bytes longer. */
export function bundle(euros: number, padding = 0) {
  drawn += 1;
  return post<{ path: string; invoice: string }>('/bundle', { number: drawn, euros, padding });
}

/** Lets the claims of a case's reviews have run out a second ago. */
export const lapse = (reference: string) =>
  post<{ done: boolean }>('/reviews/lapse', { reference });

/** Lets the deadlines of a case's open reviews have passed an hour ago. */
export const late = (reference: string) => post<{ done: boolean }>('/reviews/late', { reference });

/** Runs the command line as somebody. */
export const terminal = (as: Who, ...args: string[]) =>
  post<{ code: number; out: string; all: string }>('/terminal', { as, args });

/** Sends a document as somebody, beside the page, and returns its case's reference once it waits, failed or ended. */
export async function submit(as: Who, path: string, ...more: string[]): Promise<string> {
  const said = await terminal(as, 'submit', '--watch', ...more, path);
  const reference = /CS-[\w-]*\w/.exec(said.all)?.[0];
  if (reference === undefined) {
    throw new Error(`submit: ${said.all}`);
  }
  return reference;
}

/** Asks the API as somebody by their token; fails on errors of the request, not on userErrors. */
export async function ask<T>(
  as: Who,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<T> {
  const answer = await fetch(`${world.url}/graphql`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${world.people[as].token}`,
    },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await answer.json()) as { data: T; errors?: unknown[] };
  if (errors !== undefined) {
    throw new Error(JSON.stringify(errors));
  }
  return data;
}

let browser: Browser | undefined;

/** What a person would have seen when a story failed: every page that is open, as text and as picture. */
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
      await shot(page, `failed ${task.name}`.replaceAll(/\W+/g, '-')).catch(() => undefined);
    }
  }
  for (const context of contexts) await context.close();
});

afterAll(async () => {
  await browser?.close();
});

export interface Look {
  size?: { width: number; height: number };
  locale?: 'en-GB' | 'zh-CN';
  colorScheme?: 'light' | 'dark';
}

/** A window of its own, with nobody signed in. */
export async function visit(look: Look = {}): Promise<{ context: BrowserContext; page: Page }> {
  browser ??= await chromium.launch({
    executablePath: world.chromium,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const context = await browser.newContext({
    baseURL: world.url,
    viewport: look.size ?? sizes.desktop,
    locale: look.locale ?? 'en-GB',
    colorScheme: look.colorScheme ?? 'light',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  page.on('pageerror', (error) => {
    // A query that is overtaken by itself is aborted, and the library leaves the abort unanswered: nobody notices.
    if (error.name === 'AbortError' || error.message.includes('signal is aborted')) return;
    process.stdout.write(`the page threw at ${page.url()}: ${error.stack ?? error.message}\n`);
    throw new Error(`the page threw: ${error.message}`);
  });
  return { context, page };
}

/** A window in which somebody has signed in through the form. */
export async function signedIn(
  as: Who,
  look: Look = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const opened = await visit(look);
  await opened.page.goto('/sign-in');
  await signIn(opened.page, as);
  return opened;
}

/** Fills the form of the sign-in page (or the sheet over a page whose session has ended). */
export async function signIn(page: Page, as: Who): Promise<void> {
  await page.locator('input[name="email"]').fill(world.people[as].email);
  await page.locator('input[name="password"]').fill(world.people[as].password);
  await page.locator('button[type="submit"]').click();
  await page.locator('input[name="password"]').waitFor({ state: 'detached' });
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

/** Demands that axe finds nothing on the page and that nothing scrolls sideways. */
export async function holds(page: Page, name: string): Promise<void> {
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(sideways, `${name}: scrolls sideways by ${sideways} px`).toBeLessThanOrEqual(0);
  // Evaluated by the debugger, which the page's content policy does not bind.
  await page.evaluate(axeSource);
  const violations: Violation[] = await page.evaluate(async () => {
    const axe = (globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } })
      .axe;
    return (await axe.run()).violations;
  });
  const said = violations.map(
    (v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html.slice(0, 200)).join(' | ')}`,
  );
  expect(said.join('\n'), name).toBe('');
}

/** Keeps a picture of the whole page. */
export async function shot(page: Page, name: string): Promise<void> {
  await page.screenshot({
    path: join(world.shots, `${name}.png`),
    fullPage: true,
    animations: 'disabled',
  });
}

/** Prints a measured figure; the run shows it also when all went well. */
export function figure(name: string, value: string): void {
  process.stdout.write(`figure: ${name}: ${value}\n`);
}
