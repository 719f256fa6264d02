import { describe, expect, it } from 'vitest';
import { lineDraftOf, maxLineDraft, rowsOfDraft } from './line-draft';
import { emptyRow, inputOf, type LineRow } from './line-rows';

const stored: LineRow[] = ['Nails', 'Screws', 'Bolts'].map((description, key) => ({
  ...emptyRow(key),
  from: key,
  description,
  quantity: '1',
  amount: '2.00',
  allowance: key === 1 ? '0.50' : '',
}));
const added = { ...emptyRow(3), description: 'Freight "express"', amount: '9.00' };

describe('the draft of line items', () => {
  it('is empty while nothing is changed', () => {
    expect(lineDraftOf(stored, stored, 'a')).toBe('');
    expect(lineDraftOf([...stored, emptyRow(3)], stored, 'a')).toBe('');
    expect(lineDraftOf([], [], 'a')).toBe('');
  });

  it.each([
    ['a changed row', stored.with(1, { ...(stored[1] as LineRow), amount: '3.00' })],
    ['a new row in between', stored.toSpliced(1, 0, added)],
    ['a removed row', stored.toSpliced(1, 1)],
    ['rows in another order', stored.toReversed()],
    ['no rows', []],
  ])('restores %s', (_, rows) => {
    const restored = rowsOfDraft(lineDraftOf(rows, stored, 'a'), stored, 'a');
    expect(restored).toEqual({ rows, apart: 0 });
    expect(new Set(restored.rows.map(({ key }) => key)).size).toBe(rows.length);
    expect(inputOf(restored.rows, stored)).toEqual(inputOf(rows, stored));
  });

  it('adds the changed rows as new ones if the items are others now', () => {
    const rows = [...stored.with(0, { ...(stored[0] as LineRow), quantity: '7' }), added];
    const { rows: restored, apart } = rowsOfDraft(lineDraftOf(rows, stored, 'a'), stored, 'b');
    expect(apart).toBe(2);
    expect(restored.slice(0, 3)).toEqual(stored);
    expect(restored.slice(3).map(({ description, quantity }) => [description, quantity])).toEqual([
      ['Nails', '7'],
      ['Freight "express"', ''],
    ]);
    expect(restored.slice(3).every(({ from }) => from === null)).toBe(true);
  });

  it.each(['', 'x', '{}', '7', 'null', '{"basis":"a","rows":[[1]]}', '{"basis":"a","rows":7}'])(
    'ignores %j',
    (text) => expect(rowsOfDraft(text, stored, 'a')).toEqual({ rows: stored, apart: 0 }),
  );

  it('is short for one change among 5,000 rows, and keeps hundreds of new rows', () => {
    const many: LineRow[] = Array.from({ length: 5_000 }, (_, key) => ({
      ...(stored[0] as LineRow),
      key,
      from: key,
    }));
    const one = many.with(2_500, { ...(many[2_500] as LineRow), amount: '1.00' });
    expect(lineDraftOf(one, many, 'a').length).toBeLessThan(200);
    const fresh = Array.from({ length: 500 }, (_, key) => ({
      ...emptyRow(key),
      description: `Screws, zinc-plated, ${key}`,
      quantity: '10',
      unitPrice: '12.50',
      taxRate: '20',
      amount: '125.00',
    }));
    expect(lineDraftOf(fresh, [], 'a').length).toBeLessThan(maxLineDraft);
  });
});
