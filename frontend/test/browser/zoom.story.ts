import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, openPageAs, screenshot, type Username } from './environment.ts';
import { act, reviewOf, waiting } from './reviews.ts';

/** A window of 1440 x 900 at a browser zoom of 200 %. */
const zoomed = { width: 720, height: 450 };

/** The names of the links and controls that something covers when they are scrolled into the middle. */
const covered = (page: Page) =>
  page.evaluate(() => {
    const names: string[] = [];
    const all = document.querySelectorAll<HTMLElement>(
      'main a[href], main button, main input, main select',
    );
    for (const element of all) {
      if (element.offsetParent === null || element.closest('.cs-visually-hidden')) continue;
      element.scrollIntoView({ block: 'center', inline: 'center' });
      const box = element.getBoundingClientRect();
      if (box.width < 4 || box.height < 4) continue;
      const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      const label = element instanceof HTMLInputElement ? element.labels?.[0] : null;
      if (hit && (element.contains(hit) || hit.contains(element) || label?.contains(hit))) continue;
      names.push(`${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent}`);
    }
    return names;
  });

async function expectReachable(page: Page, name: string): Promise<void> {
  await expectAccessible(page, `${name} at 200 %`);
  expect(await covered(page), `${name}: covered controls`).toEqual([]);
  await page.evaluate(() => scrollTo(0, 0));
  await screenshot(page, `zoom-${name}`);
}

test('the main pages at a zoom of 200 %: no sideways scroll, no covered control', async () => {
  const reference = await waiting(2_410);
  const review = await reviewOf(reference);
  const rounds: [Username, [string, string][]][] = [
    [
      'submitter',
      [
        ['intake', '/intake'],
        ['cases', '/cases'],
      ],
    ],
    [
      'manager',
      [
        ['queue', '/queue'],
        ['manage', '/manage'],
        ['case', `/cases/${reference}`],
        ['review', `/reviews/${review.id}`],
        ['search', `/search?q=${reference}`],
        ['statistics', '/statistics'],
      ],
    ],
  ];
  for (const [as, pages] of rounds) {
    const { context, page } = await openPageAs(as, { size: zoomed });
    for (const [name, address] of pages) {
      await page.goto(address);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.waitForLoadState('networkidle');
      await expectReachable(page, `${name}-${as}`);
    }
    await context.close();
  }
}, 240_000);

test('a selection at a zoom of 200 % covers no row that can be scrolled to', async () => {
  await waiting(2_420);
  await waiting(2_430);
  const { context, page } = await openPageAs('manager', { size: zoomed });
  for (const name of ['queue', 'cases']) {
    await page.goto(`/${name}`);
    await page.getByRole('checkbox', { name: 'Select all shown' }).check();
    await page.getByRole('button', { name: /^Reassign \d+$/ }).waitFor();
    await expectReachable(page, `${name}-selected`);
  }
  await context.close();
}, 120_000);

const long = (text: string) => `${text} `.repeat(40).slice(0, 300).trim();

test('names of 300 characters break no page, in words or in one word', async () => {
  const { context, page } = await openPageAs('manager', { size: { width: 390, height: 844 } });
  for (const [kind, name] of [
    ['words', long('Gesellschaft für umständlich benannte Büromaterialien')],
    ['word', 'W'.repeat(300)],
  ] as const) {
    const reference = await waiting(2_440);
    const review = await reviewOf(reference);
    await act('manager', 'claimReview', { reviewId: review.id });
    await act('manager', 'correctFields', {
      reviewId: review.id,
      fields: [{ name: 'vendor', value: name }],
      confirm: true,
    });
    await act('senior', 'claimReview', { reviewId: review.id });
    for (const [where, address] of [
      ['cases', `/cases?text=${reference}`],
      ['case', `/cases/${reference}`],
      ['review', `/reviews/${review.id}`],
      ['search', `/search?q=${reference}`],
    ] as const) {
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 844 });
        await page.goto(address);
        await page.getByText(reference).filter({ visible: true }).first().waitFor();
        await expectAccessible(page, `${where} with a long ${kind} at ${width}`);
        await screenshot(page, `long-${kind}-${where}-${width}`);
      }
    }
  }
  await context.close();
}, 240_000);
