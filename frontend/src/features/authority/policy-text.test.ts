import { describe, expect, it } from 'vitest';
import {
  type Cell,
  choiceOf,
  conditionsOf,
  limitsOf,
  rulesOf,
  withChoice,
  withLimit,
  withNextVersion,
} from './policy-text';

const rule = (name: string, more: object = {}) => ({
  name,
  role: 'reviewer_l1',
  action: 'decide',
  object: 'queue_review',
  ...more,
});
const textOf = (...rules: object[]) => `${JSON.stringify({ version: 2, rules }, null, 2)}\n`;
const decide: Cell = { role: 'reviewer_l1', action: 'decide', object: 'queue_review' };
const claim: Cell = { ...decide, action: 'claim' };
const other = rule('other', { role: 'manager', condition: 'review.level > 1', effect: 'allow' });

/** The lines that are in one text only. */
function changedLines(before: string, after: string): string[] {
  const [one, two] = [before.split('\n'), after.split('\n')];
  return [
    ...one.filter((line) => !two.includes(line)).map((line) => `-${line.trim()}`),
    ...two.filter((line) => !one.includes(line)).map((line) => `+${line.trim()}`),
  ];
}

describe('a change of one cell', () => {
  const text = textOf(other, rule('d', { condition: 'review.queue != "AML"', effect: 'allow' }));
  it('replaces only the condition', () => {
    const next = withChoice(text, decide, 'review.level > 1');
    expect(changedLines(text, next)).toEqual([
      String.raw`-"condition": "review.queue != \"AML\"",`,
    ]);
    expect(rulesOf(next)?.[1]?.condition).toBe('review.level > 1');
    expect(withChoice(next, decide, 'review.queue != "AML"')).toBe(text);
  });
  it('removes and adds the condition where it was', () => {
    const without = withChoice(text, decide, '');
    expect(rulesOf(without)?.[1]?.condition).toBe('');
    expect(withChoice(without, decide, 'review.queue != "AML"')).toBe(text);
  });
  it('removes the rule, also the first or the only one', () => {
    expect(withChoice(text, decide, null)).toBe(textOf(other));
    const first = textOf(rule('d'), other);
    expect(withChoice(first, decide, null)).toBe(textOf(other));
    expect(rulesOf(withChoice(textOf(rule('d')), decide, null))).toEqual([]);
  });
  it('adds a rule at the end, formatted as the others', () => {
    const next = withChoice(text, claim, '');
    const added = rule('reviewer_l1 may claim queue_review', { action: 'claim', effect: 'allow' });
    expect(next).toBe(
      textOf(other, rule('d', { condition: 'review.queue != "AML"', effect: 'allow' }), added),
    );
    const oneLine = '{"version": 2, "rules": [{"name": "a", "role": "manager"}]}';
    expect(rulesOf(withChoice(oneLine, claim, 'review.level > 1'))).toHaveLength(2);
    expect(rulesOf(withChoice('{"rules": []}', claim, ''))).toHaveLength(1);
  });
  it('gives an added rule a free name', () => {
    const taken = textOf(rule('reviewer_l1 may claim queue_review'));
    expect(rulesOf(withChoice(taken, claim, ''))?.[1]?.name).toBe(
      'reviewer_l1 may claim queue_review 2',
    );
  });
  it('keeps line breaks, order and unusual spaces elsewhere', () => {
    const odd =
      '{\r\n "rules":[ { "effect":"allow" , "name":"x","object":"queue_review","role":"reviewer_l1","action":"decide"} ,\r\n\t{"name" : "y", "role":"manager"} ],\r\n "version":2}';
    const next = withChoice(odd, decide, 'review.level > 1');
    expect(next).toBe(
      odd.replace('"queue_review"', '"queue_review", "condition": "review.level > 1"'),
    );
    expect(withChoice(odd, decide, null)).toContain(
      '{"name" : "y", "role":"manager"} ],\r\n "version":2}',
    );
  });
});

describe('what a form cannot express', () => {
  it('is several rules of one cell, or a rule that denies, and is never rewritten', () => {
    const twice = textOf(rule('a', { condition: 'review.level > 1' }), rule('b'));
    const denies = textOf(rule('a', { effect: 'deny' }));
    for (const text of [twice, denies]) {
      expect(choiceOf(rulesOf(text) ?? [], decide)).toHaveProperty('rules');
      expect(withChoice(text, decide, null)).toBe(text);
    }
  });
  it('is a text that is not a policy', () => {
    for (const text of ['', '{', '[]', '{"rules": 1}', '{"rules": [1]}']) {
      expect(rulesOf(text)).toBeNull();
      expect(withChoice(text, decide, '')).toBe(text);
    }
  });
});

it('lists each condition once', () => {
  expect(conditionsOf(rulesOf(textOf(other, other, rule('d'))) ?? [])).toEqual([
    'review.level > 1',
  ]);
});

describe('a limit in the text', () => {
  const text = textOf(other, rule('d'));
  const more = { role: 'a', documentType: '', before: 'none', after: '5.00 USD' };
  const invoice = { ...more, documentType: 'invoice', before: '1.00 USD', after: 'unlimited' };
  it('is added, changed and removed again, and the rules stay', () => {
    const one = withLimit(text, more);
    const both = withLimit(one, invoice);
    expect(limitsOf(both)).toEqual([more, invoice]);
    expect(rulesOf(both)).toEqual(rulesOf(text));
    expect(both.startsWith(text.trimEnd().slice(0, -2))).toBe(true);
    const other = withLimit(both, { ...more, after: 'unlimited' });
    expect(limitsOf(other)).toHaveLength(2);
    expect(withLimit(one, { ...more, after: 'none' })).toBe(text);
    expect(limitsOf(withLimit(both, { ...invoice, after: '1.00 USD' }))).toEqual([more]);
  });
  it('is not written into a text that is no policy', () => {
    for (const broken of ['', '{', '[]', '{"rules": 1}'])
      expect(withLimit(broken, more)).toBe(broken);
  });
});

it('increments the version of the next text', () => {
  expect(withNextVersion('{\n  "version": 12,\n  "rules": []\n}', 13)).toContain('"version": 13,');
});
