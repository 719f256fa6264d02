// Steps are compared by what they mean: the import of a process's own export changes none.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changesOf } from './changes';
import { readDesign } from './design';

const root = join(import.meta.dirname, '../../../../..');
const folders = ['workflow/definitions', 'workflow/testdata/definitions', 'bpmn/testdata'];
const imports = join(root, 'bpmn/testdata/imports');
const textOf = (path: string) => readFileSync(path, 'utf8');

function changed(before: string, after: string): string[] {
  const read = readDesign(after);
  if (!('design' in read)) throw new Error(read.problem.reason);
  const { kinds, removed } = changesOf(before, read.design);
  return [...[...kinds].map(([id, kind]) => `${id} ${kind}`), ...removed];
}

const review = (attributes: string) =>
  `nodes:\n  - {id: a, kind: review, queue: L1, ${attributes}, on: {approve: b, reject: c}}\n`;

describe('the changes of steps', () => {
  it('are none after the import of the own export, for each process', () => {
    const sources = folders.flatMap((folder) =>
      readdirSync(join(root, folder))
        .filter((name) => name.endsWith('.yaml'))
        .map((name) => ({ name, text: textOf(join(root, folder, name)) })),
    );
    // The server writes these imports and proves that they are parsed as their sources are (bpmn/import_test.go).
    expect(sources.map(({ name }) => name).sort()).toEqual(readdirSync(imports).sort());
    for (const { name, text } of sources) {
      const imported = textOf(join(imports, name));
      expect(changed(text, imported), name).toEqual([]);
      expect(changed(imported, text), name).toEqual([]);
    }
  });

  it('ignore empty lists and the order of a mapping', () => {
    expect(
      changed(review('title: {en: A, zh: 甲}'), review('skills: [], title: {zh: 甲, en: A}')),
    ).toEqual([]);
    expect(changed(review('level: 1'), review('level: 1').replace('c}', '{to: c}}'))).toEqual([]);
  });

  it.each([
    // A weaker step is not shown as the same one.
    ['a lower level', 'level: 2', 'level: 1'],
    ['fewer approvals', 'seats: 3', 'seats: 3, quorum: 1'],
    ['no escalation', 'level: 1', 'escalate_to: ""'],
    ['an escalation to the same level', 'level: 1', 'escalate_level: 1'],
    ['no deadline', 'level: 1', 'decide_within: 0s'],
    ['another unit', 'decide_within: 24h', 'decide_within: 24m'],
    ['another duty', 'duty: compliance', 'level: 1'],
    ['no signature', 'signature_above: 0', 'level: 1'],
    ['no skill', 'skills: [iban]', 'level: 1'],
    [
      'a chair of another level',
      'level: 2, chair_queue: X',
      'level: 2, chair_queue: X, chair_level: 1',
    ],
    ['bulk approvals', 'level: 1', 'bulk: {max_amount: 1, max_risk: 0}'],
    [
      'no undo of bulk approvals',
      'undo: 1m, bulk: {max_amount: 1, max_risk: 0}',
      'undo: 1m, bulk: {max_amount: 1, max_risk: 0, undo: 0s}',
    ],
    ['a reminder', 'level: 1', 'remind: [1h]'],
    ['an unknown attribute', 'level: 1', 'unknown: 1'],
  ])('show %s in both directions', (_, before, after) => {
    expect(changed(review(before), review(after))).toEqual(['a changed']);
    expect(changed(review(after), review(before))).toEqual(['a changed']);
  });

  it.each([
    ['a route that withdraws other work', '{to: b, cancel: all}'],
    ['a route that withdraws one step', '{to: b, cancel: [x]}'],
    ['another target', 'c'],
  ])('show %s', (_, target) => {
    const before = review('level: 1');
    expect(changed(before, before.replace('approve: b', `approve: ${target}`))).toEqual([
      'a changed',
    ]);
  });

  it('show the order of branches, which decides, and an optional payment', () => {
    const gateway = (branches: string) =>
      `nodes:\n  - {id: g, kind: exclusive, branches: [${branches}], default: c}\n`;
    expect(
      changed(
        gateway('{when: x, to: a}, {when: y, to: b}'),
        gateway('{when: y, to: b}, {when: x, to: a}'),
      ),
    ).toEqual(['g changed']);
    const external = (pays: string) =>
      `nodes:\n  - {id: e, kind: external, topic: t, ${pays}next: c}\n`;
    expect(changed(external(''), external('pays: true, '))).toEqual([]);
    expect(changed(external(''), external('pays: false, '))).toEqual(['e changed']);
  });
});
