import { expect, test } from 'vitest';
import {
  attributeFault,
  attributeLabel,
  type DeclaredAttribute,
  statedInput,
  statedText,
} from './attributes';

const declared = (change: Partial<DeclaredAttribute>): DeclaredAttribute => ({
  name: 'department',
  type: 'TEXT',
  required: false,
  labels: [],
  choices: [],
  maxLength: null,
  currency: null,
  ...change,
});

test('a value that the server would refuse is a fault at its field', () => {
  expect(attributeFault(declared({ required: true }), ' ')).toBe('missing');
  expect(attributeFault(declared({}), '')).toBe(null);
  expect(attributeFault(declared({ type: 'INTEGER' }), '1.5')).toBe('integer');
  expect(attributeFault(declared({ type: 'INTEGER' }), '-7')).toBe(null);
  expect(attributeFault(declared({ type: 'MONEY', currency: 'EUR' }), '1,2')).toBe('money');
  expect(attributeFault(declared({ maxLength: 2 }), '部门门')).toBe('long');
  expect(attributeFault(declared({ maxLength: 3 }), '部门门')).toBe(null);
});

test('values of another process are not sent', () => {
  const values = { department: ' sales ', cost_centre: 'X' };
  expect(statedInput([declared({})], values)).toEqual([{ name: 'department', value: 'sales' }]);
});

test('labels and values are in the language, otherwise in English, otherwise as they are', () => {
  const labels = [
    { name: 'en', value: 'Department' },
    { name: 'zh', value: '部门' },
  ];
  expect(attributeLabel(labels, 'zh', 'department')).toBe('部门');
  expect(attributeLabel(labels.slice(0, 1), 'zh', 'department')).toBe('Department');
  expect(attributeLabel([], 'zh', 'department')).toBe('department');
  const stated = { name: 'b', labels: [], valueLabels: [], currency: 'EUR', value: '1200.50' };
  expect(statedText({ ...stated, type: 'MONEY' }, 'en')).toBe('1,200.50 EUR');
  expect(statedText({ ...stated, type: 'CHOICE', value: 'it' }, 'en')).toBe('it');
});
