import { describe, expect, test } from 'vitest';
import {
  declaredOtherwise,
  documentCurrency,
  dueBesideTotal,
  unexplainedFindings,
} from './review-facts';

const form = (values: Record<string, string>) =>
  ({
    fieldForm: Object.entries(values).map(([name, normalised]) => ({
      name,
      field: { normalised },
    })),
  }) as unknown as Parameters<typeof dueBesideTotal>[0];

test('the amount due is shown if it is not the total', () => {
  expect(dueBesideTotal(form({ total: '11900.00', amount_due: '3900.00' }))).toBe('3900.00');
  expect(dueBesideTotal(form({ total: '11900.00', amount_due: '11900.0' }))).toBeNull();
  expect(dueBesideTotal(form({ total: '11900.00', amount_due: '' }))).toBeNull();
  expect(dueBesideTotal(form({ total: '11900.00' }))).toBeNull();
});

test('the amount due is in the currency of the document, also beside an order in another', () => {
  const of = (values: { source: string; value: string }[]) =>
    documentCurrency({
      ...form({ currency: 'USD' }),
      declaredAmount: null,
      differences: [{ field: 'currency', values }],
    } as unknown as Parameters<typeof documentCurrency>[0]);
  expect(
    of([
      { source: 'DECLARED', value: 'USD' },
      { source: 'TEXT', value: 'EUR' },
    ]),
  ).toBe('EUR');
  expect(of([{ source: 'DECLARED', value: 'USD' }])).toBe('USD');
});

test('a declared amount is shown if the case has another one, or another currency', () => {
  const money = (amount: string, currency = 'EUR') => ({
    __typename: 'Money' as const,
    amount,
    currency,
  });
  const declared = money('100.00');
  const of = (amount: ReturnType<typeof money> | null) =>
    declaredOtherwise({ amount, declaredAmount: declared });
  expect(of(money('1558.90'))).toBe(declared);
  expect(of(money('100.00', 'USD'))).toBe(declared);
  expect(of(null)).toBe(declared);
  expect(of(money('100.0'))).toBeNull();
  expect(declaredOtherwise({ amount: declared, declaredAmount: null })).toBeNull();
});

describe('the findings that a question repeats', () => {
  const of = (findings: [string, string][], satisfied: string[] = []) =>
    unexplainedFindings({
      findings: findings.map(([rule, severity]) => ({ rule, severity })),
      approvalRequirements: satisfied.map((rule) => ({ rule, satisfied: true })),
    } as unknown as Parameters<typeof unexplainedFindings>[0]).map(({ rule }) => rule);
  test('warn or block, the blocking ones first', () => {
    const findings: [string, string][] = [
      ['age', 'WARNING'],
      ['hint', 'INFO'],
      ['total', 'BLOCKING'],
    ];
    expect(of(findings)).toEqual(['total', 'age']);
  });
  test('are not those that a reviewer has explained', () => {
    expect(of([['total', 'BLOCKING']], ['total'])).toEqual([]);
  });
});
