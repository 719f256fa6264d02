// Measures the review desk with documents of a folder (make desk-bench): what lies inside the window
// of 1440 x 900.
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { confirmNewest, figure, graphql, openPageAs, runCLI, screenshot } from './environment.ts';
import { writePDF } from './files.ts';
import { measure } from './measure.ts';
import { claimReview } from './reviews.ts';
import { desktop } from './views.ts';

const folder = process.env.DESK_DOCUMENTS ?? '';
/** Documents of each folder below it, spread over its list. */
const perFolder = Number(process.env.DESK_PER_FOLDER ?? 8);
const types: Record<string, string> = { sroie: 'receipt', sroie_more: 'receipt' };

interface Sent {
  path: string;
  type: string;
}

/** Every n-th document of the folder, so that all kinds are among them. */
function chosen(paths: string[]): string[] {
  const step = Math.max(1, Math.ceil(paths.length / perFolder));
  return paths.filter((_, index) => index % step === 0);
}

function documents(): Sent[] {
  const sent = readdirSync(folder)
    .filter((name) => name !== 'hostile' && statSync(join(folder, name)).isDirectory())
    .flatMap((name) => {
      const files = readdirSync(join(folder, name)).filter((file) => /\.(pdf|jpg|png)$/.test(file));
      const paths = files.sort().map((file) => join(folder, name, file));
      return chosen(paths).map((path) => ({ path, type: types[name] ?? 'invoice' }));
    });
  const long = Array.from({ length: 200 }, (_, page) => [
    { text: page === 0 ? 'Rechnung' : `Seite ${page + 1}`, x: 60, y: 780 },
    { text: 'Rechnungsdatum: 2026-10-14', x: 60, y: 740 },
    { text: 'Gesamtbetrag EUR 6300,00', x: 60, y: 700 },
  ]);
  return [...sent, { path: writePDF('two-hundred-pages', long), type: 'invoice' }];
}

interface Open {
  id: string;
  case: { reference: string; documentType: string; document: { pages: unknown[] } | null };
}

const openReviews = async (): Promise<Open[]> => {
  const query = `query($after: Cursor) { reviews(first: 50, after: $after) { nodes { id case {
    reference documentType document { pages { number } } } } pageInfo { hasNextPage endCursor } } }`;
  const all: Open[] = [];
  for (let after: string | null = null; ; ) {
    const { reviews } = (await graphql('manager', query, { after })) as {
      reviews: { nodes: Open[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
    };
    all.push(...reviews.nodes);
    if (!reviews.pageInfo.hasNextPage) return all;
    after = reviews.pageInfo.endCursor;
  }
};

/** How many cases have each status. */
async function statuses(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const query = `query($after: Cursor) { cases(first: 100, after: $after) { nodes { status }
    pageInfo { hasNextPage endCursor } } }`;
  for (let after: string | null = null; ; ) {
    const { cases } = (await graphql('auditor', query, { after })) as {
      cases: {
        nodes: { status: string }[];
        pageInfo: { hasNextPage: boolean; endCursor: string };
      };
    };
    for (const { status } of cases.nodes) counts[status] = (counts[status] ?? 0) + 1;
    if (!cases.pageInfo.hasNextPage) return counts;
    after = cases.pageInfo.endCursor;
  }
}

/** Values of the currencies of the documents; without one, a case needs attention before its review. */
const rates = { CNY: '0.14', INR: '0.012', MYR: '0.22', CHF: '1.12' };

/** One administrator sets the rates, and another confirms each. */
async function setRates(): Promise<void> {
  for (const [currency, rate] of Object.entries(rates)) {
    const { code, all } = await runCLI('admin', 'rate', 'set', currency, rate, '--reason=Bench');
    expect(code, all).toBe(0);
    await confirmNewest();
  }
}

/** Submits the documents and waits until each is in review, has ended or has failed. */
async function submitAll(all: readonly Sent[]): Promise<void> {
  const sent = new Map<string, string>();
  for (const { path, type } of all) {
    const { all: said } = await runCLI('submitter', 'submit', `--type=${type}`, path);
    const reference = /CS-[\w-]*\w/.exec(said)?.[0];
    sent.set(path, reference ?? `refused: ${said.trim().split('\n')[0]}`);
  }
  const busy = ({ RECEIVED = 0, PROCESSING = 0 }: Record<string, number>) => RECEIVED + PROCESSING;
  await expect
    .poll(async () => busy(await statuses()), { timeout: 3_600_000, interval: 2_000 })
    .toBe(0);
  figure('documents submitted', `${all.length}, then ${JSON.stringify(await statuses())}`);
  for (const [path, reference] of sent)
    figure(`document ${basename(path)}`, await endOf(reference));
}

/** The status of the case, and why it needs attention if it does. */
async function endOf(reference: string): Promise<string> {
  if (!reference.startsWith('CS-')) return reference;
  const { case: found } = await graphql<{
    case: { status: string; incident: { message: string } | null };
  }>('auditor', 'query($r: String) { case(reference: $r) { status incident { message } } }', {
    r: reference,
  });
  return [found.status, found.incident?.message].filter(Boolean).join(': ');
}

test('the desk shows what decides, for every document', { timeout: 7_000_000 }, async () => {
  await setRates();
  await submitAll(documents());
  const reviews = await openReviews();
  expect(reviews.length).toBeGreaterThan(0);
  const { context, page } = await openPageAs('manager', { size: desktop });
  const problems: string[] = [];
  const widths: number[] = [];
  for (const review of reviews) {
    await claimReview(page, review);
    const pages = review.case.document?.pages.length ?? 0;
    if (pages > 0) await page.locator('[data-page] img').first().waitFor();
    const found = await measure(page);
    widths.push(found.image);
    await screenshot(page, `desk-of-${review.case.reference}`);
    const faults = [
      ...found.outside,
      ...(found.pageScrolls > 0 ? [`the page scrolls by ${found.pageScrolls} px`] : []),
      ...(pages > 0 && found.image < 720 ? [`image ${found.image} px`] : []),
    ];
    if (faults.length > 0)
      problems.push(`${review.case.reference} (${review.case.documentType}): ${faults.join(', ')}`);
    await page.getByRole('button', { name: /^Release/ }).click();
    await page.getByRole('button', { name: /^Claim/ }).waitFor();
  }
  await context.close();
  figure(
    'reviews measured',
    `${reviews.length}, image ${Math.min(...widths)} to ${Math.max(...widths)} px`,
  );
  figure('reviews with a problem', String(problems.length));
  for (const problem of problems) figure('problem', problem);
});
