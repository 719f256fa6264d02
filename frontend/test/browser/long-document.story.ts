// A document of 200 pages: only the images of the pages in view are requested, and the last page is
// reached by one key, by a field that was read on it, and by its small image.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { figure, openPageAs, runCLI } from './environment.ts';
import { writePDF } from './files.ts';
import { claimReview, reviewOf } from './reviews.ts';
import { desktop } from './views.ts';

const count = 200;

/** An invoice whose number and total are on its last page. */
function writeInvoice(): string {
  const pages = Array.from({ length: count }, (_, at) => [
    { text: at === 0 ? 'Nordlicht Handels GmbH' : `Seite ${at + 1}`, x: 60, y: 780 },
    ...(at === 0 ? [{ text: 'Rechnung', x: 60, y: 740 }] : []),
    ...Array.from({ length: 12 }, (_, line) => ({
      text: `Bericht der Arbeiten an der Anlage im Werk Nord, Absatz ${line + 1}`,
      x: 60,
      y: 600 - 20 * line,
    })),
    ...(at === count - 1
      ? [
          { text: 'Rechnungsnummer: NL-2026-77', x: 60, y: 740 },
          { text: 'Rechnungsdatum: 2026-10-14', x: 60, y: 700 },
          { text: 'Gesamtbetrag EUR 6300,00', x: 60, y: 660 },
        ]
      : []),
  ]);
  return writePDF('two-hundred-pages', pages);
}

const drawn = (page: Page, number: number) =>
  page.waitForFunction((wanted) => {
    const image = document.querySelector<HTMLImageElement>(`[data-page="${wanted}"] img`);
    return image?.complete === true && image.naturalWidth > 0;
  }, number);

test('a document of 200 pages requests the images in view, and its last page is near', async () => {
  const { all } = await runCLI('submitter', 'submit', writeInvoice());
  const reference = /CS-[\w-]*\w/.exec(all)?.[0] ?? '';
  await expect
    .poll(() => reviewOf(reference).catch(() => null), { timeout: 300_000, interval: 1_000 })
    .not.toBeNull();
  const review = await reviewOf(reference);
  const { context, page } = await openPageAs('manager', { size: desktop });
  const images = new Set<string>();
  page.on('request', (request) => {
    if (request.resourceType() === 'image') images.add(request.url());
  });
  const opened = Date.now();
  await claimReview(page, review);
  await drawn(page, 1);
  await page.getByText(`Page 1 of ${count}`).waitFor();
  figure('200 pages: review to the first image, claimed', `${Date.now() - opened} ms`);
  const first = images.size;
  figure('200 pages: images requested for the first page', String(first));
  expect(first).toBeLessThan(60);
  const document = page.getByRole('region', { name: 'Document pages', exact: true });
  const reach = async (how: string, action: () => Promise<void>) => {
    await document.evaluate((node) => node.scrollTo({ top: 0, behavior: 'instant' }));
    await page.getByText(`Page 1 of ${count}`).waitFor();
    const began = Date.now();
    await action();
    await page.getByText(`Page ${count} of ${count}`).waitFor();
    await drawn(page, count);
    const took = Date.now() - began;
    figure(`200 pages: last page by ${how}`, `${took} ms, ${images.size} images requested so far`);
    expect(took, how).toBeLessThan(30_000); // catches hangs; how long it takes is the figure above
  };
  await reach('its field', () => page.locator('#field-total').focus());
  await reach('its small image', () =>
    page
      .getByRole('navigation', { name: 'Pages of the document' })
      .getByRole('button', { name: `Page ${count}`, exact: true })
      .click(),
  );
  // Both ways jump, so they do not load the pages between.
  expect(images.size).toBeLessThan(2 * first + 40);
  await document.focus();
  await reach('the key End', () => page.keyboard.press('End'));
  await context.close();
});
