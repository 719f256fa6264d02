import { describe, expect, it } from 'vitest';
import {
  compareAmounts,
  differenceOf,
  groupedAmount,
  isPlainAmount,
  withDecimalsOf,
} from './money';

describe('amounts', () => {
  it.each([
    ['1234567.80', 'en', '1,234,567.80'],
    ['0', 'en', '0'],
    ['-1000', 'en', '−1,000'],
    ['99999999999999999999.01', 'zh', '99,999,999,999,999,999,999.01'],
    ['not a number', 'en', 'not a number'],
  ])('formats %s in %s as %s', (amount, locale, shown) => {
    expect(groupedAmount(amount, locale)).toBe(shown);
  });

  it('compares exactly', () => {
    expect(compareAmounts('0.30', '0.3')).toBe(0);
    expect(compareAmounts('9007199254740993', '9007199254740992')).toBe(1);
    expect(compareAmounts('2.5', '10')).toBe(-1);
  });

  it('recognises a plain amount', () => {
    expect(isPlainAmount('1200.50')).toBe(true);
    expect(isPlainAmount('1,200')).toBe(false);
    expect(isPlainAmount('')).toBe(false);
  });
});

it('gives a price the decimals of the amount', () => {
  expect(withDecimalsOf('10.5', '52.50')).toBe('10.50');
  expect(withDecimalsOf('2000', '2000.00')).toBe('2000.00');
  expect(withDecimalsOf('3.3333', '10.00')).toBe('3.3333');
  expect(withDecimalsOf('2000', '4000')).toBe('2000');
  expect(withDecimalsOf('', '4.00')).toBe('');
});

it('names the difference of a sum from another amount', () => {
  expect(differenceOf(['20.98'], '21.00')).toBe('0.02');
  expect(differenceOf(['21.00', '-0.02'], '20.98')).toBe('0.00');
  expect(differenceOf(['100', '-0.5'], '99')).toBe('0.5');
  expect(differenceOf(['1000000000000000.01'], '1000000000000000.02')).toBe('0.01');
});
