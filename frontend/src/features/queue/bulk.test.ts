import { describe, expect, it } from 'vitest';
import { batchesOf, outcomesOf, stillChosen } from './bulk';
import type { Row, ShownRow } from './rows';

const row = (id: string) =>
  ({ id, version: '1', case: { reference: `CS-${id}` } }) as unknown as Row;
const refusal = {
  code: 'NotPermitted',
  message: 'its amount is above',
  remedy: null,
  field: null,
  values: [],
};

describe('bulk commands', () => {
  it('apply to the selected rows that are still listed, in order', () => {
    const shown = [
      { row: row('a'), left: null },
      { row: row('b'), left: {} },
      { row: row('c'), left: null },
    ];
    const chosen = stillChosen(shown as unknown as ShownRow[], new Set(['c', 'b', 'a', 'gone']));
    expect(chosen.map(({ id }) => id)).toEqual(['a', 'c']);
  });

  it('report the outcome of each row', () => {
    const results = [
      { reviewId: 'a', review: { undoUntil: '2026-11-21T10:00:30Z' }, userErrors: [] },
      { reviewId: 'b', review: null, userErrors: [refusal] },
    ] as unknown as Parameters<typeof outcomesOf>[2];
    const outcomes = outcomesOf([row('b'), row('a'), row('c')], 'approved', results, [refusal]);
    expect(outcomes.map(({ reference, done, undoUntil }) => [reference, done, undoUntil])).toEqual([
      ['CS-b', null, null],
      ['CS-a', 'approved', '2026-11-21T10:00:30Z'],
      ['CS-c', null, null],
    ]);
    expect(outcomes[2]?.refusals).toEqual([refusal]);
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
