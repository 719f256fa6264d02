import { expect, it } from 'vitest';
import { countedDocuments, notListed, sumDocuments } from './sum-documents';

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
    subject: 'counterparty',
    list: { to: '/cases', search: { counterparty: 'Hafen Logistik GmbH', from: '2026-11-20' } },
  });
  expect(list(finding('submitter'))).toEqual({
    subject: 'submitter',
    list: { to: '/cases', search: { submitter: 'u1', from: '2026-11-20' } },
  });
  expect(list(finding('account'))).toEqual({
    subject: 'account',
    list: { to: '/search', search: { q: 'DE89370400440532013000' } },
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

it('counts the documents of a sum that the finding does not name', () => {
  const counted = (subject: string, count: string, cases: string) => {
    const { evidence } = finding(subject);
    return notListed({
      evidence: [...evidence, { name: 'count', value: count }, { name: 'cases', value: cases }],
    });
  };
  expect(counted('counterparty', '4', 'CS-1,CS-2,CS-3')).toBe(1);
  expect(counted('counterparty', '3', 'CS-1,CS-2,CS-3')).toBe(0);
  expect(counted('counterparty', '2', '')).toBe(2);
  expect(counted('submitter', '4', '')).toBe(0);
  expect(notListed({ evidence: [{ name: 'cases', value: 'CS-1' }] })).toBe(0);
  expect(notListed(finding('counterparty'))).toBe(0);
});
