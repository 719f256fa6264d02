import { expect, it } from 'vitest';
import { amountText, digitsOf, minorUnits } from './minor-units';

it('knows the decimal places of currencies as the server does, not as Intl does', () => {
  const codes = ['EUR', 'JPY', 'KWD', 'HUF', 'IDR', 'nonsense'];
  expect(codes.map(digitsOf)).toEqual([2, 0, 3, 2, 2, null]);
});

it('writes and reads amounts with the decimals of their currency', () => {
  for (const [text, digits, minor] of [
    ['1234.50', 2, 123_450],
    ['123450', 0, 123_450],
    ['123.450', 3, 123_450],
    ['0.05', 2, 5],
  ] as const) {
    expect(amountText(minor, digits)).toBe(text);
    expect(minorUnits(text, digits)).toBe(minor);
  }
  expect(minorUnits('5.0', 0)).toBe(null);
  expect(minorUnits('5.005')).toBe(null);
  expect(minorUnits('1,234.5')).toBe(123_450);
});
