import { expect, test } from 'vitest';
import { comparedValues } from './compared';

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
