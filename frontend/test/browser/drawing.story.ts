// A process made on the drawing by the pointer, by the keyboard and by a finger.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, inEveryView, openPageAs, screenshot, sizes } from './environment.ts';
import { textEditor } from './text-editor.ts';
import { viewed } from './views.ts';

/** A window in which the whole drawing is visible. */
const tall = { width: 1440, height: 2200 };

interface Point {
  x: number;
  y: number;
}

const editor = (page: Page) => textEditor(page, 'Process text');
const node = (page: Page, id: string) => page.locator(`[data-node="${id}"]`);
const grip = (page: Page, line: string) => page.locator(`[data-grip="${line}"]`);
const added = (page: Page, kind: string) => page.locator(`[data-add="${kind}"]`);

async function middle(of: Locator): Promise<Point> {
  const box = await of.boundingBox();
  if (!box) throw new Error('it is not shown');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** A point on an arrow of the drawing. */
async function onLine(page: Page, id: string): Promise<Point> {
  const path = page.locator(`.react-flow__edge[data-id="${id}"] path`).first();
  await path.waitFor({ state: 'attached' });
  return path.evaluate((element) => {
    const line = element as SVGPathElement;
    const matrix = line.getScreenCTM();
    const { x, y } = line
      .getPointAtLength(line.getTotalLength() / 2)
      .matrixTransform(matrix ?? undefined);
    return { x, y };
  });
}

/** The place of what has stopped moving: after a change the drawing is laid out again. */
async function settled(read: () => Promise<Point>): Promise<Point> {
  let place = await read();
  await expect
    .poll(async () => {
      const before = place;
      place = await read();
      return Math.hypot(place.x - before.x, place.y - before.y);
    })
    .toBeLessThan(0.5);
  return place;
}

/** Drags to a node or an arrow; `hint` is what the page says before the drop. */
async function drag(
  page: Page,
  from: Locator,
  to: () => Promise<Point>,
  hint: RegExp,
): Promise<void> {
  const start = await settled(() => middle(from));
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 10, start.y + 10);
  await expect
    .poll(async () => {
      const { x, y } = await to();
      await page.mouse.move(x - 1, y, { steps: 3 });
      await page.mouse.move(x, y);
      return page.locator('output').getByText(hint).count();
    })
    .toBeGreaterThan(0);
  await page.mouse.up();
}

/** Draws an arrow from the dot of a node. */
async function draw(page: Page, from: string, to: string): Promise<void> {
  await node(page, from).hover();
  await drag(
    page,
    node(page, from).locator('[data-handle]'),
    () => middle(node(page, to)),
    /^Lead to: /,
  );
}

const valid = (page: Page) => page.getByText(/^Valid:/).waitFor();

test('a process is made by dragging alone, and published', async () => {
  const { context, page } = await openPageAs('admin', { size: tall });
  await page.goto('/definitions/new/edit');
  await node(page, 'review').waitFor();
  await page.getByLabel('Key', { exact: true }).fill('dragged');
  await page.getByLabel('Name in English', { exact: true }).fill('Dragged');
  await page.getByLabel('Name in Chinese', { exact: true }).fill('拖动');
  // A second review after the first, and a choice before both.
  await drag(
    page,
    added(page, 'review'),
    () => onLine(page, 'review/on/approve'),
    /^Review: When approved/,
  );
  await node(page, 'review_2').waitFor();
  await drag(
    page,
    added(page, 'exclusive'),
    () => onLine(page, 'validate/next'),
    /^Validate fields: Then go to/,
  );
  await node(page, 'choice').waitFor();
  await expect
    .poll(() => editor(page).inputValue())
    .toMatch(/id: choice\n(.*\n)*? {4}default: assess\n/);
  // Of the connections of a choice, the new branch is taken.
  await draw(page, 'choice', 'review_2');
  await page.getByRole('button', { name: 'Otherwise go to (now: Assess risk)' }).waitFor();
  await viewed(page, 'drawing-choice');
  await page.setViewportSize(tall);
  await page.getByRole('button', { name: 'New: Branch 1: then go to' }).click();
  await expect
    .poll(() => editor(page).inputValue())
    .toContain('when: risk >= 30\n        to: review_2');
  await valid(page);
  // An arrow that breaks the process is drawn, and the check shows what it breaks.
  const sound = await editor(page).inputValue();
  await drag(
    page,
    grip(page, 'review_2/on/approve'),
    () => middle(node(page, 'archived')),
    /^Lead to: /,
  );
  await expect.poll(() => editor(page).inputValue()).toContain('approve: archived');
  await page.getByRole('button', { name: /Error/ }).first().click();
  await page.locator('[data-fault]').waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(() => editor(page).inputValue()).toBe(sound);
  // A step is put into another place, and back, in one step each.
  await drag(
    page,
    added(page, 'timer'),
    () => onLine(page, 'review_2/on/approve'),
    /^Review: When approved/,
  );
  await node(page, 'wait').waitFor();
  const late = await editor(page).inputValue();
  await drag(
    page,
    node(page, 'wait'),
    () => onLine(page, 'read/next'),
    /^Read document: Then go to/,
  );
  await expect.poll(() => editor(page).inputValue()).toMatch(/behaviour: read\n.*\n {4}next: wait/);
  await expect
    .poll(() => editor(page).inputValue())
    .toMatch(/id: wait\n(.*\n){3} {4}next: extract/);
  await viewed(page, 'drawing-moved');
  await page.setViewportSize(tall);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(() => editor(page).inputValue()).toBe(late);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(() => editor(page).inputValue()).toBe(sound);
  // What cannot be moved says why, and a drop beside everything changes nothing.
  await drag(
    page,
    node(page, 'validate'),
    () => onLine(page, 'archive/next'),
    /^The process continues here/,
  );
  await drag(page, added(page, 'review'), async () => ({ x: 8, y: 400 }), /^Drop on an arrow/);
  await expect.poll(() => editor(page).inputValue()).toBe(sound);
  await valid(page);
  await page.getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('heading', { name: 'Proposals' }).waitFor();
  await context.close();
  const second = await openPageAs('admin2');
  await second.page.goto('/definitions/dragged');
  await second.page.getByRole('button', { name: 'Publish' }).click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
  await second.page.getByText('No open proposals.').waitFor();
  await second.context.close();
});

test('an arrow is drawn with the keyboard alone', async () => {
  const { context, page } = await openPageAs('admin', { size: tall });
  await page.goto('/definitions/new/edit');
  const start = page.getByRole('button', { name: 'Edit step Read document' });
  await start.focus();
  const before = await editor(page).inputValue();
  await page.keyboard.press('c');
  await page.getByText('Lead to: Extract fields').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.getByText('Lead to: Validate fields').waitFor();
  await expectAccessible(page, 'an arrow by the keyboard');
  await page.keyboard.press('Escape');
  await page.getByText(/^Lead to: /).waitFor({ state: 'detached' });
  await page.keyboard.press('c');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const choice = page.getByRole('button', { name: 'Then go to (now: Extract fields)' });
  await choice.waitFor();
  await choice.focus();
  await page.keyboard.press('Enter');
  await expect
    .poll(() => editor(page).inputValue())
    .toBe(before.replace('next: extract', 'next: validate'));
  await context.close();
});

test('an arrow is drawn with a finger on a phone', async () => {
  const { context, page } = await openPageAs('admin', { size: sizes.phone, touch: true });
  await page.goto('/definitions/new/edit');
  await node(page, 'extract').getByRole('button').tap();
  await page.locator('[data-node="extract"][data-selected]').waitFor();
  const handle = node(page, 'extract').locator('[data-handle]');
  await handle.scrollIntoViewIfNeeded();
  const [from, to] = [await middle(handle), await middle(node(page, 'read'))];
  const touch = await context.newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: Point[]) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints });
  await send('touchStart', [from]);
  for (const share of [0.2, 0.6, 1])
    await send('touchMove', [
      { x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) },
    ]);
  await page.getByText('Lead to: Read document').waitFor();
  await screenshot(page, 'drawing-touch');
  await send('touchEnd', []);
  await page.getByRole('button', { name: /^Then go to/ }).click();
  await expect
    .poll(() => editor(page).inputValue())
    .toMatch(/id: extract\n(.*\n){3} {4}next: read/);
  await context.close();
});

test('a text is typed into the editor, searched and kept as a draft, and Tab leaves it', async () => {
  const { context, page } = await openPageAs('admin', { size: tall });
  await page.goto('/definitions/new/edit');
  const text = editor(page);
  await text.content.click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.type('# ');
  await page.keyboard.insertText('审核流程');
  await page.keyboard.press('Enter');
  await expect.poll(() => text.inputValue()).toMatch(/^# 审核流程\nkey: my_process\n/);
  await page.keyboard.press('ControlOrMeta+f');
  await page.getByRole('textbox', { name: 'Find' }).focus();
  await page.keyboard.type('next: rejected');
  await page.keyboard.press('Enter');
  await page.locator('.cm-searchMatch-selected').waitFor();
  await expectAccessible(page, 'the search of the editor');
  await screenshot(page, 'editor-search');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('.cm-editor') === null))
    .toBe(true);
  const typed = await text.inputValue();
  await text.fill(typed.replace('next: rejected', 'next: nowhere'));
  await page.locator('.cm-lint-marker-error').first().waitFor();
  await expectAccessible(page, 'a problem at its line');
  await screenshot(page, 'editor-problem');
  await text.fill(typed);
  await page.reload();
  await page.getByText('Your unfinished changes have been restored.').waitFor();
  await expect.poll(() => text.inputValue()).toBe(typed);
  await context.close();
});

test('the drawing with its steps to add fits every view', async () => {
  await inEveryView('admin', async (page, label) => {
    await page.goto('/definitions/new/edit');
    await node(page, 'review').getByRole('button').click();
    await page.locator('[data-node="review"][data-selected]').waitFor();
    await expectAccessible(page, label);
    await screenshot(page, `drawing-${label}`);
  });
});
