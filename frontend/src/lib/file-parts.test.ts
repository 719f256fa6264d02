import { expect, test } from 'vitest';
import { pagesText, partsOf } from './file-parts';

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
