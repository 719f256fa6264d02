import { expect, test } from 'vitest';
import { changedFields } from './use-form-values';

test('a field is changed if another person has changed it and the user has not typed the same', () => {
  const opened = { name: 'A', queues: ['L1'], cap: 1 };
  expect(changedFields(opened, { ...opened, queues: ['L1'] }, { name: 'B' })).toEqual([]);
  expect(changedFields(opened, { ...opened, queues: ['L2'], cap: 2 }, { cap: 2 })).toEqual([
    'queues',
  ]);
  expect(changedFields(opened, { ...opened, cap: 2 }, { cap: 3 })).toEqual(['cap']);
});
