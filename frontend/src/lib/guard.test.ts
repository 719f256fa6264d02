import { describe, expect, it } from 'vitest';
import { type Comparison, type Guard, guardOf, guardText } from './guard';

const every: Comparison[] = [
  { fact: 'amount', is: 'atLeast', value: 10_000_000 },
  { fact: 'amount', is: 'below', value: 100_000 },
  { fact: 'risk', is: 'atLeast', value: 30 },
  { fact: 'risk', is: 'below', value: 30 },
  { fact: 'country', is: 'equal', name: '', value: 'IR' },
  { fact: 'channel', is: 'different', name: '', value: 'mail' },
  { fact: 'field', is: 'equal', name: 'department', value: 'R&D || "sales" && (more)\\' },
  { fact: 'finding', is: 'present', value: 'high_risk_country' },
  { fact: 'finding', is: 'absent', value: 'split_payments' },
  { fact: 'missing', is: 'some' },
  { fact: 'unsure_fields', is: 'none' },
  { fact: 'blocking', is: 'none' },
];

describe('a guard of a form', () => {
  it.each(['and', 'or'] as const)('is read as it was written, joined by %s', (join) => {
    for (const one of every) {
      expect(guardOf(guardText({ join: 'and', comparisons: [one] }))).toEqual({
        join: 'and',
        comparisons: [one],
      });
      for (const other of every) {
        const guard: Guard = { join, comparisons: [one, other] };
        expect(guardOf(guardText(guard))).toEqual(guard);
      }
    }
  });

  it('is read over several lines and with other bounds', () => {
    expect(guardOf('risk <= 29 &&\n  size(missing)   == 0')).toEqual({
      join: 'and',
      comparisons: [
        { fact: 'risk', is: 'below', value: 30 },
        { fact: 'missing', is: 'none' },
      ],
    });
  });

  it('is read from the guard of a process that needs no review', () => {
    expect(
      guardOf('risk < 30 && size(unstated) == 0 && amount_known && base_minor < 100000')
        ?.comparisons,
    ).toEqual([
      { fact: 'risk', is: 'below', value: 30 },
      { fact: 'unstated', is: 'none' },
      { fact: 'amount', is: 'below', value: 100_000 },
    ]);
  });

  it.each([
    '',
    'risk >= 30 && blocking > 0 || warnings > 0',
    'base_minor >= 100000',
    'amount_known && base_minor >= 100000',
    'risk + 1 >= 30',
    'country in ["IR", "KP"]',
    "country == 'IR'",
    'country == "IR',
    'country == "\\x41"',
    '!(risk >= 30)',
    '("a" in fields ? fields["b"] : "") == "c"',
    'risk >= 30 &&',
    '(risk >= 30',
    'findings.exists(g, g.rule == "x")',
  ])('stays text where a form cannot express it: %s', (text) => {
    expect(guardOf(text)).toBeNull();
  });
});
