import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Comparison,
  currencyOf,
  type Guard,
  guardOf as guardIn,
  processVocabulary,
  ruleVocabulary,
  guardText as textIn,
} from './guard';

const guardOf = (text: string) => guardIn(text, processVocabulary);
const guardText = (guard: Guard) => textIn(guard, processVocabulary);

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
  { fact: 'country', is: 'oneOf', values: ['IR', 'KP'] },
  { fact: 'currency', is: 'noneOf', values: ['a "b], c', 'JPY'] },
  { fact: 'document_type', is: 'oneOf', values: ['invoice'] },
  { fact: 'missing', is: 'some' },
  { fact: 'unsure_fields', is: 'none' },
  { fact: 'blocking', is: 'none' },
  { fact: 'amount_known', is: 'true' },
  { fact: 'has_structured_data', is: 'false' },
  { fact: 'outcome', is: 'equal', name: '', value: 'approve' },
  { fact: 'missing_field', is: 'present', value: 'iban' },
  { fact: 'missing_field', is: 'absent', value: 'a "quoted" one' },
  { fact: 'attribute', is: 'equal', name: 'department', value: 'sales' },
  { fact: 'attribute', is: 'different', name: 'department', value: '' },
  { fact: 'attribute', is: 'atLeast', name: 'people', value: -3 },
  { fact: 'attribute', is: 'below', name: 'budget', value: 5_000_000 },
  { fact: 'attribute', is: 'equalNumber', name: 'people', value: 0 },
  { fact: 'attribute', is: 'differentNumber', name: 'people', value: 7 },
  { fact: 'attribute', is: 'from', name: 'start', value: '2026-06-01' },
  { fact: 'attribute', is: 'before', name: 'start', value: '2026-06-01' },
  { fact: 'attribute', is: 'beforeOrUnstated', name: 'start', value: '2026-06-01' },
  { fact: 'attribute', is: 'equal', name: 'start', value: '2026-06-01' },
  { fact: 'attribute', is: 'oneOf', name: 'department', values: ['it', 'a "b], c', ''] },
  { fact: 'attribute', is: 'noneOf', name: 'start', values: ['2026-06-01'] },
  { fact: 'document_amount', is: 'atLeast', value: 500_000 },
  { fact: 'document_amount', is: 'below', value: 1 },
  { fact: 'attribute', is: 'true', name: 'urgent' },
  { fact: 'attribute', is: 'false', name: 'amount_known' },
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

  it('is read with other bounds of whole numbers of the submission', () => {
    expect(guardOf('attributes.people > 3 && ! attributes.urgent')?.comparisons).toEqual([
      { fact: 'attribute', is: 'atLeast', name: 'people', value: 4 },
      { fact: 'attribute', is: 'false', name: 'urgent' },
    ]);
    expect(guardOf('attributes.people <= 3')?.comparisons).toEqual([
      { fact: 'attribute', is: 'below', name: 'people', value: 4 },
    ]);
  });

  it('has an amount of the document in the currency that all of it requires', () => {
    const bound = '(!amount_known || amount_minor >= 500000)';
    const currency = (text: string) => {
      const guard = guardOf(text);
      return guard ? currencyOf(guard) : 'none';
    };
    expect(currency(`currency == "EUR" && ${bound}`)).toBe('EUR');
    expect(currency(`currency == "EUR" && currency != "JPY" && ${bound}`)).toBe('EUR');
    for (const other of [
      bound,
      `currency == "EUR" || ${bound}`,
      `currency != "EUR" && ${bound}`,
      `currency in ["EUR"] && ${bound}`,
      `currency == "EUR" && currency == "JPY" && ${bound}`,
      `attributes.currency == "EUR" && ${bound}`,
    ])
      expect(currency(other)).toBeNull();
    expect(
      guardOf('currency == "JPY" && amount_known && amount_minor < 500')?.comparisons[1],
    ).toEqual({ fact: 'document_amount', is: 'below', value: 500 });
  });

  it('does not compare attributes in rules', () => {
    expect(guardIn('attributes.urgent', ruleVocabulary)).toBeNull();
    expect(guardIn('attributes.department in ["it"]', ruleVocabulary)).toBeNull();
    expect(guardIn('(amount_known && amount_minor >= 5)', ruleVocabulary)).toBeNull();
    expect(guardIn('has_structured_data', ruleVocabulary)).toBeNull();
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
    'country in ["IR", "IR"]',
    'country in []',
    'country in ["IR", risk]',
    'country in ["\\x41"]',
    '!country in ["IR"]',
    'country in ["IR"])',
    '"IR" in ["IR"]',
    'risk in ["1"]',
    "country == 'IR'",
    'country == "IR',
    'country == "\\x41"',
    '!(risk >= 30)',
    '("a" in fields ? fields["b"] : "") == "c"',
    'risk >= 30 &&',
    '(risk >= 30',
    'findings.exists(g, g.rule == "x")',
    '!"iban" in missing',
    '"iban" in unstated',
    'attributes.people + 1 > 3',
    'attributes.people > 9007199254740993',
    'attributes.people > 9007199254740991',
    'attributes.start > "2026-06-01"',
    'attributes.start >= "soon"',
    '(attributes.start != "" && attributes.end < "2026-06-01")',
    '!(attributes.urgent)',
    'attributes.urgent == true',
    'attributes["department"] == "it"',
    'attributes.department in ["it", "it"]',
    'attributes.department in []',
    'attributes.department in ["it", risk]',
    'attributes.department in ["\\x41"]',
    '!attributes.department in ["it"]',
    'attributes.department in ["it"])',
    '"it" in attributes.department',
    'attributes.people in [1, 2]',
    'amount_minor >= 500000',
    'currency == "EUR" && amount_minor < 500000',
    'amount_known && amount_minor >= 100000',
    '(!amount_known || amount_minor >= 9007199254740993)',
    '(!amount_known || amount_minor < 5)',
    '(amount_known && amount_minor == 5)',
    'amount_minor % 100 == 0',
    'attributes.department.startsWith("s")',
  ])('stays text where a form cannot express it: %s', (text) => {
    expect(guardOf(text)).toBeNull();
  });
});

describe('the condition of a rule', () => {
  const each: Comparison[] = [
    { fact: 'amount', is: 'atLeast', value: 10_000_000 },
    { fact: 'amount', is: 'below', value: 100 },
    { fact: 'date_age', is: 'below', value: -1 },
    { fact: 'vendor_approved', is: 'below', value: 1 },
    { fact: 'iban_fault', is: 'different', name: '', value: '' },
    { fact: 'country_risk', is: 'equal', name: '', value: 'high' },
    { fact: 'same_number', is: 'some' },
    { fact: 'account_changed', is: 'true' },
    { fact: 'amount_known', is: 'false' },
  ];

  it.each(['and', 'or'] as const)('is read as it was written, joined by %s', (join) => {
    for (const one of each)
      for (const other of each) {
        const guard: Guard = { join, comparisons: [one, other] };
        expect(guardIn(textIn(guard, ruleVocabulary), ruleVocabulary)).toEqual(guard);
      }
  });

  it('does not find an unknown amount, and a guard of a process does', () => {
    const guard: Guard = {
      join: 'and',
      comparisons: [{ fact: 'amount', is: 'atLeast', value: 5 }],
    };
    expect(textIn(guard, ruleVocabulary)).toBe('(amount_known && base_minor >= 5)');
    expect(guardIn('amount_known && base_minor >= 5', ruleVocabulary)).toEqual(guard);
    expect(guardIn(guardText(guard), ruleVocabulary)).toBeNull();
    expect(guardOf(textIn(guard, ruleVocabulary))).toBeNull();
  });

  it('is read from the built-in rules', () => {
    const read = (text: string) => guardIn(text, ruleVocabulary)?.comparisons;
    expect(read('vendor_looked && vendor_approved == 0')).toEqual([
      { fact: 'vendor_approved', is: 'below', value: 1 },
    ]);
    expect(read('date_known && date_age > 400')).toEqual([
      { fact: 'date_age', is: 'atLeast', value: 401 },
    ]);
    expect(read('!amount_known')).toEqual([{ fact: 'amount_known', is: 'false' }]);
  });

  it.each([
    'risk >= 30',
    'findings.exists(f, f.rule == "x")',
    'blocking > 0',
    'date_age > 400',
    '(due_known && date_age > 400)',
    'vendor_looked && vendor_approved == 1',
    'size(blocking) > 0',
    'size(parts) > 1',
    'same_number > 0',
    'constructor',
    'constructor == "x"',
    'amount_known && base_minor >= 100000 && amount_minor % (100 * minor_per_major) == 0',
  ])('stays text where a form cannot express it: %s', (text) => {
    expect(guardIn(text, ruleVocabulary)).toBeNull();
  });

  it('compares only facts that rules know', () => {
    const source = readFileSync(join(import.meta.dirname, '../../../expr/rules.go'), 'utf8');
    const inFields = ['amount', 'field'];
    for (const fact of ruleVocabulary.facts)
      if (!inFields.includes(fact)) expect(source).toContain(`"${fact}"`);
  });
});
