import { expect, test } from 'vitest';
import {
  changeOf,
  changesSomething,
  replayFilters,
  reviewersOf,
  weekEnds,
  weeksOf,
} from './forecast';

test('an address changes nothing by itself, and its values are bounded', () => {
  expect(weeksOf({})).toBe(8);
  expect(weeksOf({ weeks: 5 })).toBe(8);
  expect(reviewersOf({ reviewers: 900 })).toBe(20);
  expect(reviewersOf({ reviewers: -1.5 })).toBe(-1);
  expect(changesSomething({})).toBe(false);
  expect(changesSomething({ reviewers: 1 })).toBe(false);
  expect(changesSomething({ queue: 'L1', reviewers: 1 })).toBe(true);
  expect(changesSomething({ process: 'document_approval', from: 'much' })).toBe(false);
  expect(changesSomething({ process: 'document_approval', from: '2,000.00' })).toBe(true);
});

test('the export has the change of the page', () => {
  expect(changeOf({ queue: 'L1', deadline: 50, from: '10' })).toEqual({
    queue: 'L1',
    reviewers: 0,
    deadlinePercent: 50,
    process: null,
    reviewFrom: null,
  });
  expect(replayFilters({ queue: 'L1', reviewers: -1, weeks: 12 }, 'UTC')).toMatchObject({
    weeks: '12',
    queue: 'L1',
    reviewers: '-1',
    deadlinePercent: undefined,
  });
});

test('weeks end with their seventh day', () => {
  expect(weekEnds([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])).toEqual([7, 14]);
});
