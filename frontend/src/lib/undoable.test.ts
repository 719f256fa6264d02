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

test('of several decisions the newest is offered first, and each ends at its own time', () => {
  for (const { reviewId } of undoableDecisions.get()) forgetUndo(reviewId);
  const now = Date.parse('2026-11-28T10:00:00Z');
  offerUndo(decision('1', '2026-11-28T10:00:40Z'), now);
  offerUndo(decision('2', '2026-11-28T10:00:10Z'), now);
  offerUndo(decision('3', '2026-11-28T10:00:20Z'), now);
  const offered = () => undoableDecisions.get().map(({ reviewId }) => reviewId);
  expect(offered()).toEqual(['1', '2', '3']);
  forgetUndo('2'); // its time has ended
  expect(offered()).toEqual(['1', '3']);
  forgetUndo('3'); // undone, so that the decision before it is the newest
  expect(undoableDecisions.get().at(-1)).toMatchObject({
    reviewId: '1',
    until: '2026-11-28T10:00:40Z',
  });
  forgetUndo('3');
  forgetUndo('1');
  expect(offered()).toEqual([]);
});
