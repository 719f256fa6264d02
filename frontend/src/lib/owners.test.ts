import { expect, it } from 'vitest';
import { overdueOwners } from './owners';

it('a proposal is published without owners only if all who are missing had time and none rejected it', () => {
  const review = {
    required: 1,
    approved: 0,
    rejected: false,
    withoutFrom: '2026-11-28T00:00:00Z',
  };
  const overdue = (...ownerReviews: (typeof review)[]) =>
    overdueOwners({ ownerReviews }, Date.parse('2026-11-29T00:00:00Z'));
  expect(overdue()).toBe(false);
  expect(overdue(review)).toBe(true);
  expect(overdue({ ...review, approved: 1 })).toBe(false);
  expect(overdue({ ...review, rejected: true })).toBe(false);
  expect(overdue(review, { ...review, withoutFrom: '2026-11-30T00:00:00Z' })).toBe(false);
  expect(overdue(review, { ...review, approved: 1, rejected: true })).toBe(true);
});
