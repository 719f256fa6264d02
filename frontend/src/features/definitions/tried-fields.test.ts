import { expect, test } from 'vitest';
import { fieldsOf } from './tried-fields';

test('each line is a field; empty lines are left out', () => {
  expect(fieldsOf('department = sales\n\n vendor=A = B ')).toEqual([
    { name: 'department', value: 'sales' },
    { name: 'vendor', value: 'A = B' },
  ]);
  expect(fieldsOf('')).toEqual([]);
});

test('a line without a name is refused', () => {
  expect(fieldsOf('sales')).toBeNull();
  expect(fieldsOf('= sales')).toBeNull();
});
