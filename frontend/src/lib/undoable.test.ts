import { expect, test } from 'vitest';
import { forgetUndo, offerUndo, undoableDecisions } from './undoable';

const decision = (reviewId: string, until = '2026-11-28T10:00:30Z') => ({
  reviewId,
  reference: `CS-${reviewId}`,
  until,
  reason: '',
});

test('decisions are offered once each, the newest last, and never after their time', () => {
  const now = Date.parse('2026-11-28T10:00:00Z');
  offerUndo(decision('1'), now);
  offerUndo(decision('2'), now);
  offerUndo(decision('1'), now);
  offerUndo(decision('3', '2026-11-28T10:00:00Z'), now);
  expect(undoableDecisions.get().map(({ reviewId }) => reviewId)).toEqual(['2', '1']);
  forgetUndo('1');
  expect(undoableDecisions.get()).toHaveLength(1);
});
