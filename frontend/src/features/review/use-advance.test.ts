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
