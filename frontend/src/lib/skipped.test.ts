import { beforeEach, expect, test } from 'vitest';
import { session } from './session';
import { mostSkipped, skip, skipped, unskip } from './skipped';

beforeEach(() => skipped.set([]));

test('a skipped review is kept once, and can be offered again', () => {
  for (const id of ['a', 'b', 'a']) skip(id);
  expect(skipped.get()).toEqual(['b', 'a']);
  unskip(['a', 'x']);
  expect(skipped.get()).toEqual(['b']);
});

test('no more are kept than the server accepts', () => {
  for (let id = 0; id <= mostSkipped; id++) skip(String(id));
  expect(skipped.get()).toHaveLength(mostSkipped);
  expect(skipped.get()).not.toContain('0');
});

test('another person starts without skipped reviews', () => {
  skip('a');
  session.set({ state: 'signedOut' });
  expect(skipped.get()).toEqual([]);
});
