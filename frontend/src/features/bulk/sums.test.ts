import { expect, test } from 'vitest';
import { sumsOf } from './sums';

const of = (amount: string, currency: string) => ({ amount, currency });

test('amounts are added in each currency, exactly', () => {
  expect(
    sumsOf([of('0.10', 'EUR'), null, of('0.2', 'EUR'), of('1200', 'JPY'), of('-5.35', 'EUR')]),
  ).toEqual([of('-5.05', 'EUR'), of('1200', 'JPY')]);
  expect(sumsOf([of('90071992547409.93', 'USD'), of('0.01', 'USD')])).toEqual([
    of('90071992547409.94', 'USD'),
  ]);
  expect(sumsOf([null])).toEqual([]);
});
