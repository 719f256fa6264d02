import { expect, it } from 'vitest';
import { recordsOf } from './save-cases';

it('knows the records of an export that is complete', () => {
  expect(recordsOf('csv', '\ufeffkind,number\ncase,1\nend,1,,\n')).toBe(1);
  expect(recordsOf('csv', 'kind,number\nend,0\n')).toBe(0);
  expect(recordsOf('csv', 'kind,number\ncase,1,end,1\n')).toBeNull();
  expect(recordsOf('csv', 'kind,number\nerror,1,StaleVersion\n')).toBeNull();
  expect(recordsOf('jsonl', '{"kind":"case","number":1}\n{"kind":"end","number":1}\n')).toBe(1);
  expect(recordsOf('jsonl', '{"kind":"case","number":1}\n')).toBeNull();
  expect(recordsOf('jsonl', '{"kind":"ca')).toBeNull();
});
