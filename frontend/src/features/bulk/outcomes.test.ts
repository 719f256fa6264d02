import { describe, expect, it } from 'vitest';
import { batchesOf, type Line, outcomesOf } from './outcomes';
import type { Target } from './plan';

const target = (id: string) =>
  ({ caseId: `c${id}`, reference: `CS-${id}`, review: { id, queue: 'L1' } }) as unknown as Target;
const refusal = {
  code: 'NotPermitted',
  message: 'its amount is above',
  remedy: null,
  field: null,
  values: [],
};

describe('bulk commands', () => {
  it('report the outcome of each review', () => {
    const results = [
      { reviewId: 'a', review: { undoUntil: '2026-11-21T10:00:30Z' }, userErrors: [] },
      { reviewId: 'b', review: null, userErrors: [refusal] },
    ] as unknown as Line[];
    const targets = [target('b'), target('a'), target('c')];
    const outcomes = outcomesOf(targets, 'approve', results, [refusal]);
    expect(outcomes.map(({ reference, done, undoUntil }) => [reference, done, undoUntil])).toEqual([
      ['CS-b', null, null],
      ['CS-a', 'approve', '2026-11-21T10:00:30Z'],
      ['CS-c', null, null],
    ]);
    expect(outcomes[2]?.refusals).toEqual([refusal]);
    const moved = [{ reviewId: 'a', review: { assignee: { name: 'Jun' } }, userErrors: [] }];
    expect(outcomesOf([target('a')], 'reassign', moved as unknown as Line[], [])[0]?.to).toBe(
      'Jun',
    );
  });

  it('are sent in parts', () => {
    const sizes = (count: number) =>
      batchesOf(Array.from({ length: count }, (_, i) => i)).map(({ length }) => length);
    expect(sizes(0)).toEqual([]);
    expect(sizes(20)).toEqual([20]);
    expect(sizes(45)).toEqual([20, 20, 5]);
    expect(batchesOf([...Array(45).keys()]).flat()).toEqual([...Array(45).keys()]);
  });
});
