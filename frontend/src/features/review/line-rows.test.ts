import { describe, expect, it } from 'vitest';
import {
  addsUp,
  emptyRow,
  equalsAmount,
  faultOf,
  firstFault,
  inputOf,
  plainNumber,
  rowsOf,
  sumOf,
} from './line-rows';

describe('plainNumber', () => {
  it.each([
    ['12', '12'],
    ['12.5', '12.5'],
    ['12,5', '12.5'],
    ['1.234,50', '1234.50'],
    ['1,234.50', '1234.50'],
    ['1 234,50', '1234.50'],
    ['1’234.50', '1234.50'],
    ['1.234.567', '1234567'],
    ['-3', '-3'],
    ['−3', '-3'],
    ['3,00-', '-3.00'],
    ['0.125', '0.125'],
    ['0.0175', '0.0175'],
    ['', ''],
  ])('reads %s', (text, value) => expect(plainNumber(text)).toEqual({ value }));

  it('asks which mark one before three digits is, unless the document shows it', () => {
    expect(plainNumber('1.234')).toEqual({ fault: 'ambiguous' });
    expect(plainNumber('1,234')).toEqual({ fault: 'ambiguous' });
    expect(plainNumber('1.234', ',')).toEqual({ value: '1234' });
    expect(plainNumber('1.234', '.')).toEqual({ value: '1.234' });
  });

  it.each(['x', '1e9', '12 EUR', '1.', '..', '1.2.3', '1,2,3.4.5', '١٢', '--3', '=1+1'])(
    'refuses %s',
    (text) => expect(plainNumber(text)).toEqual({ fault: 'number' }),
  );
});

describe('sums', () => {
  it('adds exact decimals', () => {
    expect(sumOf(['0.1', '0.2'], 2)).toBe('0.30');
    expect(sumOf(['-5', '2.50'], 2)).toBe('-2.50');
    expect(sumOf(['90071992547409.93', '0.01'], 2)).toBe('90071992547409.94');
    expect(sumOf(['100', '23'], 0)).toBe('123');
    expect(sumOf(['1.00', ''], 2)).toBeNull();
    expect(sumOf([], 2)).toBeNull();
  });
  it('compares them as the server does', () => {
    expect(equalsAmount('100.00', '100.05', 2)).toBe(true);
    expect(equalsAmount('100.00', '100.06', 2)).toBe(false);
    expect(equalsAmount('-5.00', '-5.00', 2)).toBe(true);
  });
});

describe('rows', () => {
  const row = { ...emptyRow(1), description: 'Nails', quantity: '1000', unitPrice: '0.0175' };
  it('adds up with rounding', () => {
    expect(addsUp({ ...row, amount: '17.50' }, 2)).toBe(true);
    expect(addsUp({ ...row, amount: '18.50' }, 2)).toBe(false);
    expect(addsUp({ ...row, amount: '0.18', priceQuantity: '100' }, 2)).toBe(true);
    expect(addsUp({ ...row, amount: '16.50', allowance: '1.00' }, 2)).toBe(true);
    expect(addsUp(row, 2)).toBeNull();
  });
  it('names the first value that cannot be saved', () => {
    expect(faultOf('amount', '1.001', 2)).toBe('digits');
    expect(faultOf('amount', '1.000', 2)).toBeNull();
    expect(faultOf('unitPrice', '1.00123', 2)).toBeNull();
    expect(firstFault([row, { ...row, taxRate: 'x' }], 2)).toEqual({
      row: 2,
      column: 'taxRate',
      fault: 'number',
    });
  });
  it('sends 5,000 new rows in one request of at most 1 MiB', () => {
    const fresh = Array.from({ length: 5_000 }, (_, key) => ({
      ...emptyRow(key),
      description: `${key} ${'Hexagon head screws, zinc-plated '.repeat(2)}`,
      quantity: '1000',
      unit: 'C62',
      unitPrice: '12.5000',
      taxRate: '20',
      amount: '12500.00',
    }));
    expect(JSON.stringify(inputOf(fresh, [])).length).toBeLessThan(1_000_000);
  });
  it('keeps what a form does not show, and leaves empty rows out', () => {
    const stored = {
      description: 'A',
      quantity: '1',
      unit: 'C62',
      unitPrice: '2',
      priceQuantity: '10',
      taxRate: '',
      amount: { amount: '0.20' },
      allowance: null,
    };
    const [first] = rowsOf([stored]);
    expect(first?.priceQuantity).toBe('10');
    const rows = rowsOf([stored]);
    expect(inputOf(rows, rows)).toEqual([{ from: 0, kept: true }]);
    const sent = inputOf([...rows.map((row) => ({ ...row, unit: 'H87' })), emptyRow(5)], rows);
    expect(sent).toEqual([
      {
        from: 0,
        description: 'A',
        quantity: '1',
        unit: 'H87',
        unitPrice: '2',
        taxRate: '',
        amount: '0.20',
      },
    ]);
  });
});
