import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guardText, ruleVocabulary } from '../../../lib/guard';
import { comparisonFor } from '../design/GuardForm';
import { addRule, moveRule, partsOf, removeRule, setOverride, setRule } from './change';
import { changesOfRules } from './changes';
import { type RuleTexts, readRules } from './rules';

const folder = join(import.meta.dirname, '../../../../../rules/sets');
const whole = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
/** The first rules of each set, because 1,000 edits of whole sets take minutes. */
const texts = whole.map((text) => {
  const parts = partsOf(text);
  return parts ? parts.before + parts.rules.slice(0, 5).join('') + parts.after : text;
});

function setOf(text: string): RuleTexts {
  const read = readRules(text);
  if (!('set' in read)) throw new Error(`${JSON.stringify(read.problem)}\n${text}`);
  return read.set;
}

/** A generator of random numbers below a bound, the same for the same seed. */
function randomNumbers(seed: number) {
  let state = seed;
  return (bound: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** The lines of each rule by id, with the comments above it, and what is before and after the rules. */
function linesOf(text: string): Map<string, string> {
  const parts = partsOf(text);
  if (!parts) throw new Error('the rules are not a block');
  const ids = setOf(text).rules.map(({ id }) => id);
  return new Map([
    ['<', parts.before],
    ...parts.rules.map((part, index) => [ids[index] ?? '', part] as const),
    ['>', parts.after],
  ]);
}

describe('an edit of a rule', () => {
  it('changes only the lines of the rule, over 1,000 random edits', () => {
    const random = randomNumbers(11);
    const one = <T>(all: readonly T[]): T => all[random(all.length)] as T;
    const done = { set: 0, override: 0, add: 0, move: 0, remove: 0 };
    let text = texts[0] ?? '';
    for (let edit = 0; edit < 1_000; edit++) {
      const renewed = edit % 20 === 0 || setOf(text).rules.length === 1;
      if (renewed) text = texts[Math.floor(edit / 20) % texts.length] ?? '';
      const set = setOf(text);
      const before = linesOf(text);
      const rule = one(set.rules);
      const kind = one(Object.keys(done) as (keyof typeof done)[]);
      let may = [rule.id];
      let after = text;
      if (kind === 'set') {
        const [path, value] = one<[string[], unknown]>([
          [['title', 'en'], `A: "title", with # and {braces} ${edit}`],
          [['message', 'zh'], '金额：过大，请核对'],
          [['asks', 'en'], "Isn't it - [large]?"],
          [['score'], random(101)],
          [['severity'], one(['info', 'warning', 'blocking'])],
          [['phase'], one(['risk', 'validation'])],
          [
            ['when'],
            guardText(
              {
                join: one(['and', 'or'] as const),
                comparisons: [1, 2].map(() => comparisonFor(one(ruleVocabulary.facts))),
              },
              ruleVocabulary,
            ),
          ],
        ]);
        after = setRule(text, rule, path, value);
        const found = path.reduce<unknown>(
          (at, key) => (at as Record<string, unknown> | undefined)?.[key],
          setOf(after).rules[rule.index]?.attributes,
        );
        expect(found).toEqual(value);
      } else if (kind === 'override') {
        const needs = one(['', 'none', 'reason', 'second_person', 'queue', 'never']);
        after = setOverride(text, rule, needs, 'L2');
        const { override, override_queue } = setOf(after).rules[rule.index]?.attributes ?? {};
        expect([override ?? '', override_queue]).toEqual([
          needs,
          needs === 'queue' ? 'L2' : undefined,
        ]);
      } else if (kind === 'add') {
        const added = addRule(text, set, rule.index);
        after = added.text;
        may = [added.id];
        expect(setOf(after).rules[rule.index + 1]?.id).toBe(added.id);
        expect(changesOfRules(text, after)).toMatchObject([{ kind: 'added', id: added.id }]);
      } else if (kind === 'move') {
        const to = random(set.rules.length);
        after = moveRule(text, rule, to);
        may = [];
        expect(setOf(after).rules[to]?.id).toBe(rule.id);
      } else {
        after = removeRule(text, set, rule);
        expect(setOf(after).rules.map(({ id }) => id)).not.toContain(rule.id);
      }
      const now = linesOf(after);
      for (const [id, lines] of before)
        if (!may.includes(id)) expect(now.get(id), `${kind} ${rule.id}`).toBe(lines);
      for (const id of now.keys()) expect(before.has(id) || may.includes(id)).toBe(true);
      if (JSON.stringify(setOf(after)) !== JSON.stringify(set))
        expect(changesOfRules(text, after), `${kind} ${rule.id}`).not.toEqual([]);
      done[kind]++;
      text = after;
    }
    expect(Math.min(...Object.values(done))).toBeGreaterThan(100);
  }, 300_000);

  it('keeps line breaks of Windows, and a last line without one', () => {
    const text = `${(texts[0] ?? '').trimEnd()}`.replaceAll('\n', '\r\n');
    const set = setOf(text);
    const [first] = set.rules;
    const last = set.rules.at(-1);
    if (!first || !last) throw new Error('the text has no rules');
    const moved = moveRule(text, last, 0);
    expect(moved.replaceAll('\r\n', '')).not.toContain('\n');
    expect(moved).toHaveLength(text.length);
    expect(setOf(moved).rules[0]?.id).toBe(last.id);
    const back = setOf(moved).rules[0];
    expect(back && moveRule(moved, back, set.rules.length - 1)).toBe(text);
    expect(setRule(text, first, ['score'], 5).replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('takes the comments above a rule with it, and leaves those within another', () => {
    const rule = (id: string) => `  - id: ${id}\n    score: 1\n`;
    const text = `key: a\nrules:\n  # of a\n${rule('a')}    # within a\n  # of b\n${rule('b')}# end\n`;
    const [, b] = setOf(text).rules;
    expect(b && moveRule(text, b, 0)).toBe(
      `key: a\nrules:\n  # of b\n${rule('b')}  # of a\n${rule('a')}    # within a\n# end\n`,
    );
    expect(b && removeRule(text, setOf(text), b)).toBe(
      `key: a\nrules:\n  # of a\n${rule('a')}    # within a\n# end\n`,
    );
  });

  it('leaves the last rule', () => {
    const text = 'rules:\n  - id: a\n';
    const [only] = setOf(text).rules;
    expect(only && removeRule(text, setOf(text), only)).toBe(text);
  });
});

describe('a rule set text', () => {
  it.each([
    ['rules: [', 'syntax'],
    ['rules:\n\t- id: a', 'syntax'],
    ['rules:\n  - id: a\n    score: &n 1\n', 'aliases'],
    ['rules: 3', 'list'],
    ['rules:\n  - id: a\n    score: 010\n', 'ambiguous'],
    ['rules:\n  - id: a\n    override: no\n', 'ambiguous'],
  ])('is refused by the forms with a reason: %s', (text, reason) => {
    const read = readRules(text);
    expect('problem' in read && read.problem.reason).toBe(reason);
  });
});

describe('the changes of rules', () => {
  const base =
    'key: a\nversion: 3\ndocument_types: [invoice]\nrules:\n  - id: a\n    score: 10\n    when: account_new\n    values: {x: country}\n  - {id: b, score: 1}\n';

  it('name what differs, also in attributes without a form', () => {
    const changes = changesOfRules(base, base.replace('{x: country}', '{x: currency}'));
    expect(changes).toMatchObject([
      {
        kind: 'changed',
        id: 'a',
        parts: [{ path: 'values.x', before: 'country', after: 'currency' }],
      },
    ]);
  });

  it('name the header and the order, but not the version', () => {
    expect(changesOfRules(base, base.replace('version: 3', 'version: 4'))).toEqual([]);
    expect(changesOfRules(base, base.replace('[invoice]', '["*"]'))).toMatchObject([
      { kind: 'header', parts: [{ path: 'document_types' }] },
    ]);
    const [, b] = setOf(base).rules;
    expect(changesOfRules(base, b ? moveRule(base, b, 0) : '')).toMatchObject([{ kind: 'moved' }]);
  });

  it('name what an approval needs if only the severity changes it', () => {
    const blocking = base.replace('score: 10', 'score: 10\n    severity: blocking');
    expect(changesOfRules(blocking, blocking.replace('blocking', 'warning'))).toMatchObject([
      {
        id: 'a',
        parts: [
          { path: 'severity', before: 'blocking', after: 'warning' },
          { path: 'override', before: 'reason', after: 'none' },
        ],
      },
    ]);
  });

  it('name one rule if one of the built-in rules moves', () => {
    for (const text of whole) {
      const { rules } = setOf(text);
      const rule = rules[2];
      expect(rule && changesOfRules(text, moveRule(text, rule, rules.length - 1))).toMatchObject([
        { kind: 'moved', id: rule?.id },
      ]);
    }
  });

  it('treat a rule with another id as removed and added', () => {
    expect(
      changesOfRules(base, base.replace('id: a', 'id: c'))?.map(({ kind, id }) => [kind, id]),
    ).toEqual([
      ['added', 'c'],
      ['removed', 'a'],
    ]);
  });

  it('are unknown if a text cannot be read', () => {
    expect(changesOfRules(base, base.replace('score: 10', 'score: 010'))).toBeNull();
    expect(changesOfRules(base, `${base}  - {id: b, score: 50}\n`)).toBeNull();
  });
});
