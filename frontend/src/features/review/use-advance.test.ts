import { expect, test } from 'vitest';
import { nextToCheck } from './use-advance';

const line = (name: string, needsPerson: boolean, missing = false) => ({
  name,
  needsPerson,
  missing,
});

test('the next value to check is a missing one, then the others in their order, each once', () => {
  const form = [line('vendor', true), line('total', false), line('number', true, true)];
  expect(nextToCheck(form, new Set())).toBe('number');
  expect(nextToCheck(form, new Set(['number']))).toBe('vendor');
  expect(nextToCheck(form, new Set(['number', 'vendor']))).toBeNull();
});

test('a field that only a finding names is no value to check', () => {
  const of = (...doubts: string[]) => [{ ...line('total', true), doubts }];
  expect(nextToCheck(of('FINDING'), new Set())).toBeNull();
  expect(nextToCheck(of('FINDING', 'LOW_CONFIDENCE'), new Set())).toBe('total');
  expect(nextToCheck(of(), new Set())).toBe('total');
});
