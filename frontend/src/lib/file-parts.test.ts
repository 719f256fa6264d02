import { expect, test } from 'vitest';
import { foundBegins, pagesText, partsOf } from './file-parts';

test('the parts have all pages in order', () => {
  expect(partsOf(3, new Set())).toEqual([{ first: 1, last: 3 }]);
  expect(partsOf(3, new Set([2]))).toEqual([
    { first: 1, last: 1 },
    { first: 2, last: 3 },
  ]);
  expect(partsOf(3, new Set([1, 2, 3, 9]))).toEqual([
    { first: 1, last: 1 },
    { first: 2, last: 2 },
    { first: 3, last: 3 },
  ]);
});

test('pages as text', () => {
  expect(pagesText({ first: 2, last: 2 })).toBe('2');
  expect(pagesText({ first: 2, last: 4 })).toBe('2–4');
});

test('finds the pages with which documents begin, but no areas of one page', () => {
  const begins = (value: string, pages: number) => [
    ...foundBegins([{ name: 'parts', value }], pages),
  ];
  expect(begins('1,2-3,4', 4)).toEqual([2, 4]);
  expect(begins('1:left,1:right', 1)).toEqual([]);
  expect(begins('1,2:area 1,2:area 2,9', 3)).toEqual([2]);
  expect([...foundBegins([], 3)]).toEqual([]);
});
