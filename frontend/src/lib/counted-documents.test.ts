import { expect, it } from 'vitest';
import { countedDocuments } from './counted-documents';

it('only a finding about a sum has a number of documents', () => {
  const of = (...evidence: { name: string; value: string }[]) => countedDocuments({ evidence });
  expect(of({ name: 'subject', value: 'submitter' }, { name: 'count', value: '48' })).toBe(48);
  expect(of({ name: 'count', value: '48' })).toBeNull();
  expect(of({ name: 'subject', value: 'submitter' })).toBeNull();
  expect(of({ name: 'subject', value: 'submitter' }, { name: 'count', value: 'x' })).toBeNull();
});
