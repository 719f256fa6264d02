import { expect, test } from 'vitest';
import { recomputedOf } from './recomputed';

test('the last correction says which findings other documents made', () => {
  const body = { recomputed: ['split_small'], riskBefore: 25, riskAfter: 55 };
  const first = { type: 'fields.corrected', body };
  const later = { type: 'fields.corrected', body: {} };
  const other = { type: 'review.claimed', body: {} };
  expect(recomputedOf([first, other])).toEqual({ rules: ['split_small'], before: 25, after: 55 });
  expect(recomputedOf([first, later])).toBeNull();
  expect(recomputedOf([other, { type: 'fields.corrected', body: null }])).toBeNull();
});
