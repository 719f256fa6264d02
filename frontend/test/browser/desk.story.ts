// The review desk on one screen: what lies inside the window, measured for several documents.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  drawInvoice,
  drawInvoiceWithCover,
  drawLetter,
  expectAccessible,
  figure,
  openPageAs,
  screenshot,
  sizes,
  submit,
} from './environment.ts';
import { type Measured, measure } from './measure.ts';
import {
  claimReview,
  openReview,
  releaseReview,
  reviewOf,
  type Waiting,
  waitingReview,
} from './reviews.ts';
import { desktop } from './views.ts';

/** Documents of different kinds: clean, scanned, of several pages, incomplete, submitted twice. */
async function documents(): Promise<Record<string, Waiting>> {
  const twice = await drawInvoice(4_120);
  await submit('submitter', twice.path);
  const incomplete = await drawLetter('incomplete', [
    'Nordlicht Handels GmbH',
    'Rechnung',
    'Rechnungsdatum: 2026-10-14',
    'Gesamtbetrag EUR 4120,00',
  ]);
  return {
    clean: await waitingReview(4_100),
    scan: await waitingReview(4_110, 'png'),
    'two pages': await reviewOf(
      await submit('submitter', (await drawInvoiceWithCover(4_130)).path),
    ),
    incomplete: await reviewOf(await submit('submitter', incomplete.path)),
    'submitted twice': await reviewOf(await submit('submitter2', twice.path)),
  };
}

/** Waits until the page does not scroll and what has to be inside of the window is; the image comes last. */
async function settled(
  page: Page,
  which: string,
  outside: (measured: Measured) => string[],
): Promise<Measured> {
  let measured = await measure(page);
  await expect
    .poll(
      async () => {
        measured = await measure(page);
        return {
          scrolls: measured.pageScrolls,
          outside: outside(measured),
          image: measured.image > 0,
        };
      },
      { message: which },
    )
    .toEqual({ scrolls: 0, outside: [], image: true });
  return measured;
}

test('the desk is one screen: nothing that decides lies outside of the window', async () => {
  const reviews = await documents();
  const { context, page } = await openPageAs('manager', { size: desktop });
  for (const [name, review] of Object.entries(reviews)) {
    for (const claimed of [false, true]) {
      await page.setViewportSize(desktop);
      await (claimed ? claimReview(page, review) : openReview(page, review));
      const which = `${name}${claimed ? ', claimed' : ''}`;
      const large = await settled(page, which, (one) => one.outside);
      figure(`desk at 1440x900, ${which}`, `image ${large.image} px`);
      expect(large.image, which).toBeGreaterThanOrEqual(720);
      if (claimed) await screenshot(page, `desk-${name.replaceAll(' ', '-')}`);
      await page.setViewportSize({ width: 1280, height: 720 });
      const small = await settled(page, which, (one) =>
        one.outside.filter((name) => !name.startsWith('first field')),
      );
      figure(`desk at 1280x720, ${which}`, `image ${small.image} px`);
    }
    await releaseReview(page);
  }
  await context.close();
});

test('with many findings the first field is visible in a small window too', async () => {
  const letter = await drawLetter('doubtful', [
    'Nordlicht Handels GmbH',
    'Rechnung',
    'Rechnungsdatum: 2031-01-14',
    'Zahlbar bis: 2030-01-01',
    'USt-IdNr.: DE123456780',
    'Nettobetrag EUR 1000,00',
    'MwSt 19 % EUR 500,00',
    'Gesamtbetrag EUR 412000,00',
    'IBAN: DE00 3704 0044 0532 0130 00',
    'Land: Iran',
  ]);
  const review = await reviewOf(await submit('submitter', letter.path));
  const { context, page } = await openPageAs('manager', {
    size: { width: 1280, height: 720 },
  });
  await openReview(page, review);
  const findings = page.getByRole('region', { name: 'Findings' });
  const rows = findings.locator('[data-severity]');
  await expect.poll(() => rows.count()).toBeGreaterThan(5);
  const total = await rows.count();
  await settled(page, 'many findings', (one) => one.outside);
  await screenshot(page, 'desk-many-findings');
  await findings.locator('summary', { hasText: 'More findings' }).click();
  await expect.poll(() => rows.filter({ visible: true }).count()).toBe(total);
  await expectAccessible(page, 'desk with all findings');
  // A field that has the focus gets the room of the findings, except for those that block.
  const blocking = await findings.locator('[data-severity="BLOCKING"] > summary').allTextContents();
  const visibleFields = () =>
    page.evaluate(
      () =>
        [...document.querySelectorAll('[data-row]')].filter((row) => {
          const { left, top, bottom } = row.getBoundingClientRect();
          return [top + 2, bottom - 2].every((y) =>
            row.contains(document.elementFromPoint(left + 12, y)),
          );
        }).length,
    );
  const before = await visibleFields();
  await page.keyboard.press('f');
  const opener = findings.getByRole('button', { name: /\d+ findings/ });
  await opener.waitFor();
  await expect.poll(visibleFields).toBeGreaterThan(before);
  const shown = await findings.locator('[data-severity="BLOCKING"]').allTextContents();
  expect(shown.length).toBe(blocking.length);
  expect(shown.length).toBeGreaterThan(0);
  await screenshot(page, 'desk-folded-findings');
  // The line is wholly in sight wherever the list is scrolled to.
  const hidden = () =>
    findings.evaluate((line) => {
      const list = line.parentElement as HTMLElement;
      return list.getBoundingClientRect().top - line.getBoundingClientRect().top;
    });
  const scrolledTo = (part: number) =>
    findings.evaluate((line, by) => {
      const list = line.parentElement as HTMLElement;
      list.scrollTop = by * (list.scrollHeight - list.clientHeight);
    }, part);
  for (const part of [0.1, 0.5, 1]) {
    await scrolledTo(part);
    await expect.poll(hidden).toBeLessThanOrEqual(0);
  }
  await expectAccessible(page, 'desk with folded findings');
  await page.keyboard.press('F4');
  await opener.waitFor({ state: 'detached' });
  await page.keyboard.press('F4');
  await opener.click();
  await opener.waitFor({ state: 'detached' });
  // A button is pressed where it is seen: nothing moves when a field loses the focus.
  await page.keyboard.press('f');
  await opener.waitFor();
  await page
    .getByRole('button', { name: /^Value history|^History/ })
    .first()
    .focus();
  await expect.poll(() => opener.isVisible()).toBe(true);
  // A larger window shows them all.
  await page.setViewportSize(desktop);
  await opener.waitFor({ state: 'detached' });
  await context.close();
});

test('splitter and menu are kept per person, and the pages say where one is', async () => {
  const review = await reviewOf(
    await submit('submitter', (await drawInvoiceWithCover(4_200)).path),
  );
  const { context, page } = await openPageAs('senior', { size: desktop });
  await openReview(page, review);
  const splitter = page.getByRole('separator', { name: 'Width of the side panel' });
  const side = async () => Number(await splitter.getAttribute('aria-valuenow'));
  const before = await side();
  await splitter.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(side).toBe(before + 48);
  const image = page.locator('[data-page] img').first();
  const width = async () => (await image.boundingBox())?.width ?? 0;
  const narrow = await width();
  await page.getByRole('button', { name: 'Open menu' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'hidden' });
  await expect.poll(width).toBeGreaterThan(narrow + 150);
  await page.reload();
  await page.getByRole('heading', { name: 'Fields', exact: true }).waitFor();
  await expect.poll(() => side()).toBe(before + 48);
  await expect.poll(() => page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false);
  await page.getByText('Page 1 of 2').waitFor();
  await page
    .getByRole('navigation', { name: 'Pages of the document' })
    .getByRole('button', { name: 'Page 2' })
    .click();
  await page.getByText('Page 2 of 2').waitFor();
  await expectAccessible(page, 'desk without menu');
  await context.close();
  // Another browser of the person has the layout too; what it changes last counts in the first one.
  const second = await openPageAs('senior', { size: desktop });
  await openReview(second.page, review);
  const line = second.page.getByRole('separator', { name: 'Width of the side panel' });
  const sideThere = async () => Number(await line.getAttribute('aria-valuenow'));
  await expect.poll(sideThere).toBe(before + 48);
  await expect
    .poll(() => second.page.getByRole('navigation', { name: 'Main' }).isVisible())
    .toBe(false);
  // Without a connection the page keeps the layout, and it is stored when the connection is back.
  await second.context.setOffline(true);
  await line.focus();
  await second.page.keyboard.press('ArrowRight');
  await expect.poll(sideThere).toBe(before + 24);
  await expect.poll(() => second.page.getByRole('alert').count()).toBe(0);
  await second.context.setOffline(false);
  await second.context.close();
  const third = await openPageAs('senior', { size: desktop });
  await openReview(third.page, review);
  await third.page.getByRole('button', { name: 'Open menu' }).click();
  await third.page.getByRole('navigation', { name: 'Main' }).waitFor();
  await third.context.close();
  // Another person in the same browser has the usual layout.
  const other = await openPageAs('manager', { size: desktop });
  await openReview(other.page, review);
  await expect
    .poll(() => other.page.getByRole('navigation', { name: 'Main' }).isVisible())
    .toBe(true);
  await other.context.close();
});

test('on a phone the decision stays at the bottom, without keys', async () => {
  const review = await waitingReview(4_300);
  const { context, page } = await openPageAs('junior', { size: sizes.phone, touch: true });
  await claimReview(page, review);
  const approve = page.getByRole('button', { name: /^Approve/ });
  const bottom = async () => {
    const box = await approve.boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0);
  };
  await expect.poll(bottom).toBeLessThanOrEqual(sizes.phone.height);
  await expect.poll(() => page.locator('kbd:visible').count()).toBe(0);
  await expectAccessible(page, 'desk on a phone');
  await page.getByText('Pages', { exact: true }).click();
  await expect.poll(() => approve.isVisible()).toBe(true);
  await context.close();
});
