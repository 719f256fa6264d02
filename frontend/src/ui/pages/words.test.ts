import { expect, test } from 'vitest';
import { isCovered, joined, pointOnPage, regionOf, wordAt, wordsIn } from './words';

const word = (text: string, x: number, y: number, w = 80, h = 20) => ({
  text,
  box: { x, y, w, h },
});
const page = [word('Total', 100, 100), word('1.190,00', 200, 100), word('EUR', 300, 100, 40)];

test('the word at a point is the nearest, and there is none far from every word', () => {
  expect(wordAt(page, { x: 240, y: 110 })?.text).toBe('1.190,00');
  expect(wordAt(page, { x: 182, y: 110 })?.text).toBe('Total');
  expect(wordAt(page, { x: 190, y: 110 })).toBeNull();
  expect(wordAt(page, { x: 240, y: 200 })).toBeNull();
});

test('a region joins its words in the order of the page, whatever its corners', () => {
  const region = regionOf({ x: 350, y: 130 }, { x: 190, y: 90 });
  expect(joined(wordsIn(page, region))).toBe('1.190,00 EUR');
  expect(joined([word('上海', 0, 0), word('公司', 90, 0), word('Ltd', 180, 0)])).toBe(
    '上海公司 Ltd',
  );
});

test('a word under another one is covered, a neighbour is not', () => {
  const hidden = word('9.999,00', 202, 101);
  expect(isCovered([...page, hidden], hidden)).toBe(true);
  expect(page.some((one) => isCovered(page, one))).toBe(false);
});

test('a point of the screen is the same point of the page in every rotation', () => {
  const size = { width: 200, height: 400 };
  const upright = { left: 10, top: 20, width: 100, height: 200 };
  const lying = { left: 10, top: 20, width: 200, height: 100 };
  expect(pointOnPage({ x: 10, y: 20 }, upright, size, 0.5, 0)).toEqual({ x: 0, y: 0 });
  // Turned by 90 degrees the upper left corner of the page is at the upper right.
  expect(pointOnPage({ x: 210, y: 20 }, lying, size, 0.5, 90)).toEqual({ x: 0, y: 0 });
  expect(pointOnPage({ x: 110, y: 220 }, upright, size, 0.5, 180)).toEqual({ x: 0, y: 0 });
  expect(pointOnPage({ x: 10, y: 120 }, lying, size, 0.5, 270)).toEqual({ x: 0, y: 0 });
});
