import { Text } from '@codemirror/state';
import { expect, it } from 'vitest';
import { changeBetween, diagnosticsOf } from './changes';

it.each([
  ['a: 1\nb: 2\n', 'a: 1\nb: 3\n', { from: 8, to: 9, insert: '3' }],
  ['aa', 'aaa', { from: 2, to: 2, insert: 'a' }],
  ['aaa', 'aa', { from: 2, to: 3, insert: '' }],
  ['', 'a', { from: 0, to: 0, insert: 'a' }],
  ['a\nb', 'a\r\nb', null],
])('a change from %j to %j is the part that differs', (before, after, change) => {
  expect(changeBetween(before, after)).toEqual(change);
});

it('messages are at the text of their line, and none is after the last line', () => {
  const doc = Text.of(['nodes:', '  - id: a']);
  const marks = [
    { line: 3, tone: 'bad' as const, text: 'gone' },
    { line: 2, tone: 'warn' as const, text: 'second' },
    { line: 1, tone: 'bad' as const, text: 'first' },
  ];
  expect(diagnosticsOf(doc, marks)).toEqual([
    { from: 0, to: 6, severity: 'error', message: 'first' },
    { from: 9, to: 16, severity: 'warning', message: 'second' },
  ]);
});
