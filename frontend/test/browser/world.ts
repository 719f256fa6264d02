// The environment of a file of stories: the server's address, the users with their tokens, and a
// control endpoint for what no page can do. The Go test test/browser provides it.
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
  /** The folder for screenshots. */
  shots: string;
}

export const world: World = JSON.parse(process.env.BROWSER_WORLD ?? 'null');
if (world === null) {
  throw new Error('BROWSER_WORLD is not set: run go test ./test/browser');
}

/** The viewport sizes that every page has to support. */
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

/** Stops or starts a service, or makes the OCR engine fail. Resolves when it is done. */
export const desk = (act: DeskAct) => post<{ done: boolean }>(act);

let drawn = 100;

/**
 * Generates an invoice (a PDF with text, or a scan as PNG) of about the given amount and returns
 * its path and number.
 */
export function paper(euros: number, kind: 'pdf' | 'png' = 'pdf', vendor = '') {
  drawn += 1;
  return post<{ path: string; invoice: string }>('/paper', { kind, number: drawn, euros, vendor });
}

/**
 * Generates a cover letter followed by an invoice; `padding` adds that number of bytes to the file.
 */
export function bundle(euros: number, padding = 0) {
  drawn += 1;
  return post<{ path: string; invoice: string }>('/bundle', { number: drawn, euros, padding });
}

/** Sets the claims of a case's reviews to have expired a second ago. */
export const lapse = (reference: string) =>
  post<{ done: boolean }>('/reviews/lapse', { reference });

/** Sets the deadlines of a case's open reviews to an hour ago. */
export const late = (reference: string) => post<{ done: boolean }>('/reviews/late', { reference });

/** Runs a CLI command as the given user. */
export const terminal = (as: Who, ...args: string[]) =>
  post<{ code: number; out: string; all: string }>('/terminal', { as, args });

/**
 * Submits a document with the CLI and returns its case's reference once the case waits, has failed
 * or is final.
 */
export async function submit(as: Who, path: string, ...more: string[]): Promise<string> {
  const said = await terminal(as, 'submit', '--watch', ...more, path);
  const reference = /CS-[\w-]*\w/.exec(said.all)?.[0];
  if (reference === undefined) {
    throw new Error(`submit: ${said.all}`);
  }
  return reference;
}

/** Sends a GraphQL request with the user's token; throws on request errors, not on userErrors. */
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

/** Opens a window without a session. */
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
    // A superseded query is aborted, and the library leaves that rejection unhandled; it has no
    // effect.
    if (error.name === 'AbortError' || error.message.includes('signal is aborted')) return;
    process.stdout.write(`the page threw at ${page.url()}: ${error.stack ?? error.message}\n`);
    throw new Error(`the page threw: ${error.message}`);
  });
  return { context, page };
}

/** Opens a window and signs in by the form. */
export async function signedIn(
  as: Who,
  look: Look = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const opened = await visit(look);
  await opened.page.goto('/sign-in');
  await signIn(opened.page, as);
  return opened;
}

/** Fills in the sign-in form, on its page or in the dialog for an ended session. */
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

/** Checks that axe finds no violations and that the page does not scroll horizontally. */
export async function holds(page: Page, name: string): Promise<void> {
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(sideways, `${name}: scrolls sideways by ${sideways} px`).toBeLessThanOrEqual(0);
  // Evaluated by the debugger, which the page's content security policy does not restrict.
  await page.evaluate(axeSource);
  const violations: Violation[] = await page.evaluate(async () => {
    const axe = (globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } })
      .axe;
    return (await axe.run()).violations;
  });
  const said = violations.map(
    (v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html.slice(0, 200)).join(' | ')}`,
  );
  if (said.length > 0) process.stdout.write(said.map((line) => `shown: ${line}\n`).join(''));
  expect(said.join('\n'), name).toBe('');
}

/** Saves a screenshot of the whole page. */
export async function shot(page: Page, name: string): Promise<void> {
  await page.screenshot({
    path: join(world.shots, `${name}.png`),
    fullPage: true,
    animations: 'disabled',
  });
}

/** Prints a measured figure, also when the story passes. */
export function figure(name: string, value: string): void {
  process.stdout.write(`figure: ${name}: ${value}\n`);
}
