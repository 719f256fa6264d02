import { expect, test } from 'vitest';
import { inOrder, splitFindings } from './finding-order';

const finding = (rule: string, severity: 'BLOCKING' | 'WARNING' | 'INFO') => ({ rule, severity });

const rules = (some: readonly { rule: string }[]) => some.map(({ rule }) => rule);

test('up to four findings are all listed', () => {
  const four = ['a', 'b', 'c', 'd'].map((rule) => finding(rule, 'INFO'));
  expect(splitFindings(four, new Set())).toEqual({ listed: four, others: [] });
});

test('of more findings the heaviest three are listed', () => {
  const six = [
    finding('a', 'BLOCKING'),
    finding('b', 'WARNING'),
    ...['c', 'd', 'e', 'f'].map((rule) => finding(rule, 'INFO')),
  ];
  const { listed, others } = splitFindings(six, new Set());
  expect(rules(listed)).toEqual(['a', 'b', 'c']);
  expect(rules(others)).toEqual(['d', 'e', 'f']);
});

test('a finding that blocks or needs an explanation is always listed', () => {
  const seven = [
    ...['a', 'b', 'c', 'd'].map((rule) => finding(rule, 'BLOCKING')),
    ...['e', 'f', 'g'].map((rule) => finding(rule, 'INFO')),
  ];
  const { listed, others } = splitFindings(seven, new Set(['f']));
  expect(rules(listed)).toEqual(['a', 'b', 'c', 'd', 'f']);
  expect(rules(others)).toEqual(['e', 'g']);
});

test('why a case needs a confidential review comes first', () => {
  const six = [
    ...['a', 'b', 'c', 'd'].map((rule) => finding(rule, 'BLOCKING')),
    finding('e', 'WARNING'),
    finding('high_risk_country', 'WARNING'),
  ];
  expect(rules(splitFindings(inOrder(six), new Set()).listed)).toEqual([
    'high_risk_country',
    ...['a', 'b', 'c', 'd'],
  ]);
});
