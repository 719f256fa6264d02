// The changes of a process in words: nothing that a text changes is left out.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TFunction } from 'i18next';
import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import caseLabels from '../../../i18n/en/caseLabels.json';
import definitions from '../../../i18n/en/definitions.json';
import design from '../../../i18n/en/design.json';
import guard from '../../../i18n/en/guard.json';
import ruleDesign from '../../../i18n/en/ruleDesign.json';
import { processChanges } from './process-changes';

const folder = join(import.meta.dirname, '../../../../../workflow/definitions');
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');
const approval = textOf('document_approval.yaml');

let t: TFunction<'translation'>;
beforeAll(async () => {
  const translation = { caseLabels, definitions, design, guard, ruleDesign };
  const instance = i18next.createInstance();
  t = (await instance.init({
    lng: 'en',
    resources: { en: { translation } },
    interpolation: { escapeValue: false },
  })) as TFunction<'translation'>;
});

/** The changes as lines, those of a step below its headline. */
const changesOf = (before: string, after: string): string[] | null =>
  processChanges({ t, language: 'en' }, before, after)?.flatMap(({ headline, details }) => [
    headline,
    ...details,
  ]) ?? null;

function changed(from: string, to: string): string[] | null {
  expect(approval).toContain(from);
  return changesOf(approval, approval.replace(from, to));
}

describe('the changes of a process', () => {
  it('are those of the forms, node by node', () => {
    expect(changed('duty: approval\n', 'duty: approval\n    seats: 2\n')).toEqual([
      expect.stringMatching(/^Changed: Review: .*\(review_l1\)$/),
      'Reviewers asked: 1 → 2',
    ]);
    expect(changed('base_minor < 100000', 'base_minor < 5000000')?.[1]).toMatch(
      /below 1,000\.00 USD.*→.*below 50,000\.00 USD/,
    );
    expect(changed('decide_within: 24h', 'decide_within: 90m')?.[1]).toBe(
      'Decide within: 24 hours → 90 minutes',
    );
  });

  it('show where a step leads, and what it cancels', () => {
    expect(changed('reject: seal_rejected', 'reject: archive')?.[1]).toBe(
      'When rejected, go to: Close as rejected → When rejected, go to: Archive',
    );
    expect(changed('reject: seal_rejected', 'reject: {to: seal_rejected, cancel: all}')?.[1]).toBe(
      'Cancel other open work: When rejected, go to: no → yes',
    );
    expect(changed('reject: seal_rejected', 'reject: {to: seal_rejected, cancel: [x]}')?.[1]).toBe(
      'Cancel other open work: When rejected, go to: no → x',
    );
  });

  it('show what a time limit cancels', () => {
    const limited = (limit: string) =>
      approval.replace('duty: approval\n', `duty: approval\n    timeout: {${limit}}\n`);
    expect(
      changesOf(
        limited('after: 8h, to: archive'),
        limited('after: 8h, to: archive, cancel: all'),
      )?.[1],
    ).toBe('Cancel other open work: When the time is over, go to (when 8 hours): no → yes');
  });

  it('show a guard that words cannot tell from another one as it is written', () => {
    const [was, is] = ['risk >= 30', 'risk > 29'].map((guardText) =>
      approval.replace(/when: .*\n/, `when: ${guardText}\n`),
    ) as [string, string];
    expect(changesOf(was, is)?.[1]).toMatch(/: risk >= 30 → risk > 29$/);
  });

  it('show a fact that is true as its sentence', () => {
    const [was, is] = ['amount_known', '"!amount_known"'].map((text) =>
      approval.replace(/when: .*\n/, `when: ${text}\n`),
    ) as [string, string];
    expect(changesOf(was, is)?.[1]).toMatch(
      /\(when The amount is known\).*\(when “The amount is known” is not true\)/,
    );
  });

  it('do not leave out what has no form, and ignore comments and the version', () => {
    expect(changed('    level: 1\n', '    level: 1\n    skills: [iban]\n')?.[1]).toBe(
      'skills: (none) → ["iban"]',
    );
    expect(changed('key_facts:', 'key_facts_x:')?.[0]).toBe('The process');
    expect(
      changesOf(approval, `# a comment\n${approval.replace('version: 1', 'version: 2')}`),
    ).toEqual([]);
    expect(changesOf(approval, 'nodes: [')).toBeNull();
  });

  it('leave out the lines that state a default, and show the others of the same step', () => {
    const stated = '    duty: approval\n    claim_within: 2h\n';
    expect(changed('    level: 1\n', '')).toEqual([]);
    expect(changed('    next: extract\n', '    on: {done: {to: extract}}\n')).toEqual([]);
    expect(changed('    next: extract\n', '    on: {done: validate}\n')?.[0]).toMatch(
      /^Changed: .*\(read\)$/,
    );
    expect(changed(stated, '    claim_within: 1h\n')).toEqual([
      expect.stringMatching(/^Changed: Review: .*\(review_l1\)$/),
      'Claim within: 2 hours → 1 hour',
    ]);
  });

  const defaults = [
    'level: 1',
    'duty: approval',
    'claim_within: 2h',
    'decide_within: 24h',
    'escalate_to: L2',
    // Of a stage that parses:
    'queue: model',
    'required: false',
    'waits_for_budget: false',
  ];

  it('name every line that differs, for each attribute of the built-in processes', () => {
    for (const name of readdirSync(folder)) {
      const text = textOf(name);
      const lines = text.split('\n');
      const hidden = lines.filter((line, at) => {
        // Each line of an attribute of a step is left out in turn.
        if (
          !/^ {4,}[\w]+:/.test(line) ||
          / (id|kind|to|when|key|branches|errors|timeout|on):/.test(line)
        )
          return false;
        const without = [...lines.slice(0, at), ...lines.slice(at + 1)].join('\n');
        const found = changesOf(text, without);
        return found !== null && found.length === 0;
      });
      // A line that states a default changes nothing.
      expect(hidden.map((line) => line.trim()).filter((line) => !defaults.includes(line))).toEqual(
        [],
      );
    }
  });
});
