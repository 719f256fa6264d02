import { describe, expect, it } from 'vitest';
import {
  type AssertedValue,
  confirmedTogether,
  confirmObstacle,
  differenceLines,
  type FieldDifference,
  statementOf,
} from './differences';

function asserted(value: string, more: Partial<AssertedValue> = {}): AssertedValue {
  return {
    value,
    raw: value,
    currency: null,
    source: 'OCR',
    by: null,
    at: null,
    page: 0,
    box: null,
    documentRevision: 1,
    confidence: 1,
    resolved: false,
    suggestion: false,
    ...more,
  };
}

const sam = { id: 'sam', name: 'Sam' };
const sid = { id: 'sid', name: 'Sid' };

const vendor: FieldDifference = {
  field: 'vendor',
  pending: null,
  values: [asserted('Acme'), asserted('Acne')],
};
const total: FieldDifference = {
  field: 'total',
  pending: 'STATEMENT',
  values: [
    asserted('717.97', { currency: 'EUR', source: 'HUMAN', by: sid }),
    asserted('1200000.00', { currency: 'USD', source: 'DECLARED', by: sam }),
  ],
};
const currency: FieldDifference = {
  field: 'currency',
  pending: null,
  values: [asserted('EUR'), asserted('USD', { source: 'DECLARED', by: sam })],
};

describe('the lines of differences', () => {
  it('show the amount with its currency first', () => {
    const lines = differenceLines([vendor, currency, total]);
    expect(lines.map(({ field, names, pending }) => [field, names, pending])).toEqual([
      ['total', ['total', 'currency'], 'STATEMENT'],
      ['vendor', ['vendor'], null],
    ]);
    expect(lines[0]?.current.value).toBe('717.97');
  });

  it('show a currency that no amount shows', () => {
    const three = { ...currency, values: [...currency.values, asserted('JPY')] };
    expect(differenceLines([three, total]).map(({ field }) => field)).toEqual([
      'total',
      'currency',
    ]);
    expect(differenceLines([currency]).map(({ names }) => names)).toEqual([['currency']]);
  });

  it('confirm a currency with its amount', () => {
    expect(confirmedTogether([total, currency], 'currency')).toEqual(['total', 'currency']);
    expect(confirmedTogether([total], 'total')).toEqual(['total']);
    expect(confirmedTogether([], 'vendor')).toEqual(['vendor']);
  });

  it('name who stated another value', () => {
    expect(differenceLines([total]).map(statementOf)).toEqual(['DECLARED']);
    expect(differenceLines([vendor]).map(statementOf)).toEqual([null]);
  });

  it.each([
    ['sid', total, 'own'],
    ['mia', total, null],
    ['sid', { ...total, pending: null }, null],
    ['mia', { ...vendor, values: [asserted(''), asserted('Acme')] }, 'nothing'],
    ['mia', { ...vendor, values: [asserted('', { source: 'HUMAN' }), asserted('Acme')] }, null],
  ] as const)('can be confirmed by %s: %j', (me, difference, obstacle) => {
    expect(differenceLines([difference]).map((line) => confirmObstacle(line, me))).toEqual([
      obstacle,
    ]);
  });

  describe('beside a payment order', () => {
    const ordered = asserted('600.00', { currency: 'EUR', source: 'DECLARED', by: sam });
    const read = asserted('1692.60', { currency: 'EUR' });
    const line = (pending: FieldDifference['pending'], ...values: readonly AssertedValue[]) =>
      differenceLines([{ field: 'total', pending, values: [ordered, ...values] }], true)[0];

    it('have nothing to confirm if only the document differs', () => {
      expect(line(null, read)).toMatchObject({ ordered: true, confirmable: null });
      expect(differenceLines([{ ...total, field: 'total' }])[0]?.ordered).toBe(false);
    });

    it('confirm the value of the document that counts', () => {
      const xml = asserted('600.00', { currency: 'EUR', source: 'XML' });
      expect(line(null, read, xml)?.confirmable).toBe(xml);
      const entered = asserted('600.00', { currency: 'EUR', source: 'HUMAN', by: sid });
      const waits = line('STATEMENT', read, entered);
      expect(waits?.confirmable).toBe(entered);
      if (!waits) throw new Error('no line');
      expect(statementOf(waits)).toBe('DECLARED');
      expect(confirmObstacle(waits, 'sid')).toBe('own');
      expect(confirmObstacle(waits, 'mia')).toBe(null);
    });

    it('of a field that the order does not state are as without one', () => {
      const [number] = differenceLines([{ ...vendor, field: 'number' }], true);
      expect(number).toMatchObject({ ordered: false, confirmable: { value: 'Acme' } });
    });
  });
});
