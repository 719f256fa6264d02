// Values are taken from the page by a click or a drag, and Enter leads through the values to check.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  drawLetter,
  expectAccessible,
  figure,
  graphql,
  openPageAs,
  screenshot,
  submit,
} from './environment.ts';
import { type PDFLine, writePDF } from './files.ts';
import { claimReview, openReview, reviewOf, type Waiting, waitingReview } from './reviews.ts';
import { desktop } from './views.ts';

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}
interface ReadPage {
  number: number;
  width: number;
  height: number;
  words: { text: string; box: Box }[];
}

/** The pages of the document with their words, as the API states them. */
async function pagesOf(review: Waiting): Promise<ReadPage[]> {
  const query = `query($id: ID!) { case(id: $id) { document { pages { number width height
    words { text box { x y w h } } } } } }`;
  const data = await graphql<{ case: { document: { pages: ReadPage[] } } }>('manager', query, {
    id: review.case.id,
  });
  return data.case.document.pages;
}

const input = (page: Page, name: string) => page.locator(`[data-field="${name}"]`);
const value = (page: Page, name: string) => input(page, name).inputValue();
const focused = (page: Page) =>
  page.evaluate(() => {
    const { field, row, verdict } = (document.activeElement as HTMLElement).dataset;
    return field ? `field ${field}` : row ? `row ${row}` : verdict ? `verdict ${verdict}` : '';
  });

/** Where a box of a page lies on the screen, after its page was scrolled into view. */
async function onScreen(page: Page, of: ReadPage, box: Box) {
  // A page gives its words as soon as they are loaded.
  const image = page.locator(`[data-page="${of.number}"] [data-takes] img`);
  const shown = async () => {
    const outer = await image.boundingBox();
    if (!outer) throw new Error('no page');
    const scale = outer.width / of.width;
    return {
      left: outer.x + box.x * scale,
      top: outer.y + box.y * scale,
      right: outer.x + (box.x + box.w) * scale,
      bottom: outer.y + (box.y + box.h) * scale,
    };
  };
  await expect
    .poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth))
    .toBeGreaterThan(300);
  const before = await shown();
  await page.getByRole('region', { name: 'Document pages' }).evaluate((place, y) => {
    const box = place.getBoundingClientRect();
    place.scrollBy({ top: y - box.top - box.height / 2, behavior: 'instant' });
  }, before.top);
  return shown();
}

async function clickWord(page: Page, review: Waiting, text: string, number = 1): Promise<void> {
  const of = (await pagesOf(review)).find((one) => one.number === number);
  const word = of?.words.find((one) => one.text === text);
  if (!of || !word) throw new Error(`no word ${text} on page ${number}`);
  const at = await onScreen(page, of, word.box);
  await page.mouse.click((at.left + at.right) / 2, (at.top + at.bottom) / 2);
}

const lines = (invoice: string, more: PDFLine[] = []): PDFLine[] => [
  { text: 'Nordlicht Handels GmbH', x: 60, y: 780 },
  { text: 'Rechnung', x: 60, y: 740 },
  { text: 'Belegkennung', x: 60, y: 700 },
  { text: invoice, x: 200, y: 700 },
  { text: 'Rechnungsdatum: 2026-10-14', x: 60, y: 680 },
  { text: 'Gesamtbetrag EUR 6120,00', x: 60, y: 660 },
  { text: 'Lieferung an Werk Ost', x: 60, y: 620 },
  ...more,
];

async function submitted(name: string, ...pages: PDFLine[][]): Promise<Waiting> {
  return reviewOf(await submit('submitter', writePDF(name, pages)));
}

/** Opens the next review by the key, and checks that it is another one. */
async function opensNext(page: Page, review: Waiting): Promise<void> {
  await page.waitForURL((url) => !url.pathname.endsWith(review.id));
  await page.getByRole('button', { name: /^Release/ }).click();
}

test('a clean invoice takes two keys: approve, and open the next', async () => {
  const review = await waitingReview(5_100);
  await waitingReview(5_110);
  const { context, page } = await openPageAs('junior', { size: desktop });
  await claimReview(page, review);
  await page.keyboard.press('a');
  await page.getByRole('dialog').getByText('Approve this document?').waitFor();
  await expectAccessible(page, 'the question of an approval');
  await page.keyboard.press('n');
  await opensNext(page, review);
  figure('keys for a clean invoice', '2 (a, n)');
  await context.close();
});

test('a correction by a click takes three actions: click, save and approve, next', async () => {
  const review = await submitted('one-click', lines('AB-5200'));
  await waitingReview(5_210);
  const { context, page } = await openPageAs('manager', { size: desktop });
  await claimReview(page, review);
  const number = page.locator('[data-row="number"]');
  await number.waitFor();
  await expect.poll(() => number.getAttribute('data-needs')).toBe('true');
  await clickWord(page, review, 'AB-5200');
  await expect.poll(() => value(page, 'number')).toBe('AB-5200');
  await expect.poll(() => focused(page)).toBe('field number');
  await screenshot(page, 'words-clicked');
  const others = page.locator('[data-row][data-needs]:not([data-row="number"])');
  await expect.poll(() => others.count()).toBe(0);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog').getByText('Approve this document?').waitFor();
  await page.keyboard.press('n');
  await opensNext(page, review);
  figure('actions for one correction', '3 (click, Ctrl+Enter, n)');
  await context.close();
});

test('a drag joins the words of a region, and the field keeps the focus', async () => {
  const review = await submitted('drag', lines('AB-5300'));
  const { context, page } = await openPageAs('manager', { size: desktop });
  await claimReview(page, review);
  await input(page, 'vendor').focus();
  const [first] = await pagesOf(review);
  const words = first?.words.filter(({ text }) =>
    ['Lieferung', 'an', 'Werk', 'Ost'].includes(text),
  );
  if (!first || words?.length !== 4) throw new Error('the line was read in another way');
  const left = Math.min(...words.map(({ box }) => box.x)) - 6;
  const top = Math.min(...words.map(({ box }) => box.y)) - 6;
  const at = await onScreen(page, first, {
    x: left,
    y: top,
    w: Math.max(...words.map(({ box }) => box.x + box.w)) + 6 - left,
    h: Math.max(...words.map(({ box }) => box.y + box.h)) + 6 - top,
  });
  await page.mouse.move(at.left, at.top);
  await page.mouse.down();
  await page.mouse.move((at.left + at.right) / 2, at.bottom, { steps: 4 });
  await page.mouse.move(at.right, at.bottom, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => value(page, 'vendor')).toBe('Lieferung an Werk Ost');
  await expect.poll(() => focused(page)).toBe('field vendor');
  await page.getByText('Before:').first().waitFor();
  // Saving is a command like every other correction, and the input lets the focus go.
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /Save 1 correction/ }).waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toMatch(/^(row|verdict)/);
  await page.keyboard.press('r'); // a shortcut, and no text in the field
  await expect.poll(() => value(page, 'vendor')).toBe('Lieferung an Werk Ost');
  await context.close();
});

/** Lets the API state a word that the page does not show, at the place of another page's word. */
async function stateWord(page: Page, text: string, box: Box): Promise<void> {
  await page.route('**/graphql', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json().catch(() => null);
    const first = body?.data?.review?.case?.document?.pages?.[0];
    if (!first?.words) return route.fulfill({ response: answer });
    first.words.push({
      __typename: 'Word',
      text,
      alternative: '',
      box: { __typename: 'Box', ...box },
    });
    return route.fulfill({ response: answer, json: body });
  });
}

test('a click takes neither white text nor a word of another page', async () => {
  const white = { text: 'DE99-HIDDEN-1', x: 330, y: 500, white: true };
  const review = await submitted('white', lines('AB-5400', [white]), [
    { text: 'ANLAGE-77', x: 330, y: 500 },
  ]);
  const pages = await pagesOf(review);
  const other = pages[1]?.words.find(({ text }) => text.includes('ANLAGE'));
  if (!pages[0] || !other) throw new Error('the pages were read in another way');
  // The reader leaves the white word out.
  expect(pages[0].words.filter(({ text }) => text.includes('HIDDEN'))).toEqual([]);
  for (const stated of [false, true]) {
    const { context, page } = await openPageAs('manager', { size: desktop });
    // The page does not rely on the reader: an invisible word that the API states is not taken.
    if (stated) await stateWord(page, white.text, other.box);
    if (stated) await openReview(page, review);
    else await claimReview(page, review);
    await input(page, 'vendor').focus();
    const before = await value(page, 'vendor');
    // The place is blank on page 1; page 2 has a word there.
    const at = await onScreen(page, pages[0], other.box);
    await page.mouse.click((at.left + at.right) / 2, (at.top + at.bottom) / 2);
    if (stated) await page.getByText('The page shows no readable text there.').waitFor();
    await expect.poll(() => value(page, 'vendor')).toBe(before);
    await expect.poll(() => focused(page)).toBe('field vendor');
    // On its own page the word is taken, into the field that is in view and focused.
    await clickWord(page, review, other.text, 2);
    await expect.poll(() => value(page, 'vendor')).toBe(other.text);
    await expect.poll(() => focused(page)).toBe('field vendor');
    await expect
      .poll(() => page.getByText('The page shows no readable text there.').count())
      .toBe(0);
    await page.getByRole('button', { name: 'Undo all' }).click();
    await context.close();
  }
});

test('Enter confirms doubtful values one after the other and ends at the approval', async () => {
  const { path } = await drawLetter('doubts', [
    'Nordlicht Handels GmbH',
    'Rechnung',
    'Rechnungsdatum: 2026-10-14',
    'Gesamtbetrag EUR 5500,00',
  ]);
  const review = await reviewOf(await submit('submitter', path));
  const { context, page } = await openPageAs('manager', { size: desktop });
  await claimReview(page, review);
  const open = () => page.locator('[data-row][data-needs]').count();
  await expect.poll(open).toBeGreaterThan(0);
  const count = await open();
  await page.keyboard.press('f');
  await expect.poll(() => focused(page)).not.toBe('');
  for (let pressed = 0; pressed <= count; pressed++) {
    if ((await focused(page)).startsWith('verdict')) break;
    const from = await focused(page);
    await page.keyboard.press('Enter');
    // While a correction is saved, no field has the focus.
    await expect.poll(() => focused(page)).not.toSatisfy((now) => now === from || now === '');
  }
  await expect.poll(() => focused(page)).toMatch(/^verdict/);
  await screenshot(page, 'words-at-approval');
  await context.close();
});
