import { expect, it } from 'vitest';
import { countedDocuments, sumDocuments } from './sum-documents';

const finding = (subject: string, since = '2026-11-20 08:30 UTC') => ({
  evidence: [
    { name: 'subject', value: subject },
    { name: 'since', value: since },
  ],
});
const field = (name: string, normalised: string) => ({ name, field: { normalised } });
const form = [field('vendor', 'Hafen Logistik GmbH'), field('iban', 'DE89370400440532013000')];

it('lists the documents that a finding about a sum counts', () => {
  const list = (of: ReturnType<typeof finding>) => sumDocuments(of, form, 'u1');
  expect(list(finding('counterparty'))).toEqual({
    to: '/cases',
    search: { counterparty: 'Hafen Logistik GmbH', from: '2026-11-20' },
  });
  expect(list(finding('submitter'))).toEqual({
    to: '/cases',
    search: { submitter: 'u1', from: '2026-11-20' },
  });
  expect(list(finding('account'))).toEqual({
    to: '/search',
    search: { q: 'DE89370400440532013000' },
  });
  expect(list(finding('counterparty', ''))).toBeNull();
  expect(list(finding(''))).toBeNull();
  expect(sumDocuments(finding('counterparty'), [], 'u1')).toBeNull();
});

it('only a finding about a sum has a number of documents', () => {
  const of = (...evidence: { name: string; value: string }[]) => countedDocuments({ evidence });
  expect(of({ name: 'subject', value: 'submitter' }, { name: 'count', value: '48' })).toBe(48);
  expect(of({ name: 'count', value: '48' })).toBeNull();
  expect(of({ name: 'subject', value: 'submitter' })).toBeNull();
  expect(of({ name: 'subject', value: 'submitter' }, { name: 'count', value: 'x' })).toBeNull();
});
