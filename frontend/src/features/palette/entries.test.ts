import { expect, it } from 'vitest';
import { begins, matching } from './entries';

const entries = ['Cases', 'My queue', 'Claim the next review', 'Approve'].map((label) => ({
  id: label,
  label,
  run: () => undefined,
}));
const found = (typed: string) => matching(entries, typed).map(({ label }) => label);

it('finds entries by words in any order, the best first', () => {
  expect(found('')).toEqual(entries.map(({ label }) => label));
  expect(found('c')).toEqual(['Cases', 'Claim the next review']);
  expect(found('review CLAIM')).toEqual(['Claim the next review']);
  expect(found('queue')).toEqual(['My queue']);
  const view = { id: 'v', label: 'Cases: Big ones', name: 'Big ones', run: () => undefined };
  expect(begins(view, 'big')).toBe(true);
  expect(begins(view, 'ones')).toBe(false);
  expect(found('nothing')).toEqual([]);
});
