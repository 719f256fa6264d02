import { describe, expect, it } from 'vitest';
import {
  findingsOf,
  lineOf,
  localizedName,
  type Node,
  nodesInFlowOrder,
  type Problem,
  type Proposal,
  proposedTitle,
  publishObstacle,
} from './processes';

const node = (id: string, kind: string, ...next: string[]) =>
  ({ id, kind, next }) as unknown as Node;
const problem = (rule: string, more: Partial<Problem> = {}) =>
  ({ rule, message: rule, line: 0, column: 0, node: '', path: [], ...more }) as Problem;

describe('process definitions', () => {
  it('are ordered from the start, unreachable nodes last', () => {
    const nodes = [
      node('lonely', 'end'),
      node('start', 'start', 'read'),
      node('review', 'review', 'read', 'done'),
      node('read', 'stage', 'review'),
      node('done', 'end'),
    ];
    expect(nodesInFlowOrder(nodes).map(({ id }) => id)).toEqual([
      'start',
      'read',
      'review',
      'done',
      'lonely',
    ]);
  });

  it('are named in the language or by the fallback', () => {
    expect(localizedName([{ name: 'zh', value: '读取' }], 'zh', 'Read')).toBe('读取');
    expect(localizedName([{ name: 'zh', value: '' }], 'zh', 'Read')).toBe('Read');
  });
});

describe('the problems of a report', () => {
  it('are sorted by gravity', () => {
    const report = {
      sound: false,
      markings: 0,
      warnings: [problem('overlap')],
      problems: [problem('stuck')],
      understaffed: [problem('people')],
    };
    expect(findingsOf(report as never).map(({ gravity: weight }) => weight)).toEqual([
      'problem',
      'understaffed',
      'warning',
    ]);
  });

  it('have their own line, otherwise that of their node', () => {
    const nodes = [{ id: 'review', line: 12 }];
    expect(lineOf(problem('a', { line: 3, node: 'review' }), nodes)).toBe(3);
    expect(lineOf(problem('a', { node: 'review' }), nodes)).toBe(12);
    expect(lineOf(problem('a'), nodes)).toBe(0);
  });
});

describe('publishing', () => {
  const proposal = (by: string | null, sound: boolean) =>
    ({ proposedBy: by && { id: by }, report: { sound } }) as unknown as Proposal;
  it('requires another person than the proposer, and a sound text', () => {
    expect(publishObstacle(proposal('me', true), 'me')).toBe('own');
    expect(publishObstacle(proposal('you', false), 'me')).toBe('unsound');
    expect(publishObstacle(proposal('you', true), 'me')).toBeNull();
    expect(publishObstacle(proposal(null, true), 'me')).toBeNull();
  });
});

it.each([
  ['title: {en: Expense report, zh: "费用报销"}', 'Expense report', '费用报销'],
  [
    'key: a\ntitle:\n  en: "Expense: report"\n  zh: 费用报销\nnodes: {}',
    'Expense: report',
    '费用报销',
  ],
  ["title: {en: 'One'}", 'One', 'One'],
  ['title: Plain', 'Plain', 'Plain'],
  ['key: a\nnodes:\n  - title: {en: A step}', null, null],
  ['title:', null, null],
])('finds the title that %j states', (document, en, zh) => {
  expect(proposedTitle(document, 'en')).toBe(en);
  expect(proposedTitle(document, 'zh')).toBe(zh);
});
