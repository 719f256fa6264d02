import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fieldsToCheck } from './review-facts';

type Facts = Parameters<typeof fieldsToCheck>[0];

const line = (name: string, doubts: string[] = [], required = false) => ({
  name,
  doubts,
  required,
  missing: false,
  needsPerson: doubts.length > 0,
});
const value = (text: string, source = 'OCR', by: string | null = null) => ({
  value: text,
  source,
  currency: null,
  by: by && { id: by, name: by },
});
const facts = (fieldForm: object[], differences: object[] = []): Facts =>
  ({ fieldForm, differences, order: null }) as unknown as Facts;
const namesOf = (some: Facts, me: string | null = 'junior') =>
  fieldsToCheck(some, me).map(({ name }) => name);

describe('the fields to check before an approval', () => {
  test('are those read with low certainty or not at all, in their order', () => {
    const form = [line('vendor', ['LOW_CONFIDENCE']), line('date'), line('total', ['UNREADABLE'])];
    expect(namesOf(facts(form))).toEqual(['vendor', 'total']);
  });
  test('are also sure ones that are stated with different values', () => {
    const different = { field: 'total', pending: null, values: [value('9.00'), value('9.60')] };
    expect(namesOf(facts([line('vendor'), line('total')], [different]))).toEqual(['total']);
  });
  test('are no missing required values, and none that only a finding names', () => {
    const form = [line('number', ['MISSING'], true), line('total', ['FINDING'])];
    expect(namesOf(facts(form))).toEqual([]);
  });
  test('are no values that the user entered, also if no one has to confirm them', () => {
    const corrected = {
      field: 'number',
      pending: null,
      values: [value('KB-1', 'HUMAN', 'junior'), value('KB-I')],
    };
    expect(namesOf(facts([line('number')], [corrected]))).toEqual([]);
    expect(namesOf(facts([line('number')], [corrected]), 'another')).toEqual(['number']);
  });
  test('are no values that the user entered and another person has to confirm', () => {
    const entered = {
      field: 'iban',
      pending: 'RISK_LOWERED',
      values: [value('NL91', 'HUMAN', 'junior'), value('NL50')],
    };
    expect(namesOf(facts([line('iban')], [entered]))).toEqual([]);
    expect(namesOf(facts([line('iban')], [entered]), 'another')).toEqual(['iban']);
  });
});

interface SharedCase {
  name: string;
  order?: boolean;
  differences: {
    field: string;
    pending: boolean;
    values: { value: string; source: string; by: string; currency: string }[];
  }[];
  doubts?: Record<string, string[]>;
  want: string[];
}

/** The fields of a form in the order of the document type. */
const formOrder = [
  'vendor',
  'number',
  'date',
  'currency',
  'net',
  'tax',
  'total',
  'amount_due',
  'iban',
  'country',
];

// The server's test (facts/unchecked_test.go) writes this file from assertions: an approval that does not name
// exactly these fields is refused.
const shared: SharedCase[] = JSON.parse(readFileSync('../facts/testdata/unchecked.json', 'utf8'));

describe('the fields to check are those of the server', () => {
  test.each(shared)('$name', ({ order, differences, doubts = {}, want }) => {
    const of = differences.map(({ field, pending, values }) => ({
      field,
      pending: pending ? 'RISK_LOWERED' : null,
      values: values.map(({ value: text, source, by, currency }) => ({
        ...value(text, source.toUpperCase(), by || null),
        currency: currency || null,
      })),
    }));
    const names = new Set([...differences.map(({ field }) => field), ...Object.keys(doubts)]);
    const form = formOrder
      .filter((name) => names.has(name))
      .map((name) =>
        line(
          name,
          doubts[name]?.map((doubt) => doubt.toUpperCase()),
        ),
      );
    expect(form).toHaveLength(names.size);
    const some = { ...facts(form, of), order: order ? {} : null } as unknown as Facts;
    expect(namesOf(some, 'me')).toEqual(want);
  });
});
