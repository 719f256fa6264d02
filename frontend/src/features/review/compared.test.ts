import { expect, test } from 'vitest';
import { comparedValues, hasValues } from './compared';

const line = (name: string, normalised: string, raw = normalised) => ({
  name,
  field: { raw, normalised },
});

test('different values come first, and empty fields of both documents are left out', () => {
  const mine = [line('vendor', 'Nordlicht'), line('number', 'A-1'), { name: 'iban', field: null }];
  const theirs = [line('vendor', 'Nordlicht'), line('number', '', 'A-2'), line('due_date', 'x')];
  expect(comparedValues(mine, theirs)).toEqual([
    { name: 'number', mine: 'A-1', theirs: 'A-2', different: true },
    { name: 'due_date', mine: '', theirs: 'x', different: true },
    { name: 'vendor', mine: 'Nordlicht', theirs: 'Nordlicht', different: false },
  ]);
});

test('nothing differs from a document whose values have not been read', () => {
  const mine = [line('vendor', 'Nordlicht'), line('number', 'A-1')];
  const unread = [line('vendor', ''), { name: 'number', field: null }];
  expect(hasValues(unread)).toBe(false);
  expect(hasValues(mine)).toBe(true);
  for (const values of [comparedValues(mine, unread), comparedValues(unread, mine)])
    expect(values.map(({ different }) => different)).toEqual([false, false]);
});
