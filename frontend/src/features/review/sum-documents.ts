// Where the documents are listed that a finding about a sum counts.

interface Stated {
  name: string;
  value: string;
}

/** A list of cases or a search. */
export type DocumentList =
  | { to: '/cases'; search: { counterparty?: string; submitter?: string; from: string } }
  | { to: '/search'; search: { q: string } };

/** The number of documents whose amounts a finding adds up; null for other findings. */
export function countedDocuments({ evidence }: { evidence: readonly Stated[] }): number | null {
  const stated = (of: string) => evidence.find(({ name }) => name === of)?.value ?? '';
  const count = Number(stated('count'));
  return stated('subject') !== '' && Number.isInteger(count) && count > 0 ? count : null;
}

/** What the listed documents have in common. */
export type ListSubject = 'counterparty' | 'account' | 'submitter';

/** The number of documents that the finding about a counterparty counts and does not name; 0 for other findings. */
export function notListed({ evidence }: { evidence: readonly Stated[] }): number {
  const stated = (of: string) => evidence.find(({ name }) => name === of)?.value ?? '';
  if (stated('subject') !== 'counterparty' || stated('since') === '') return 0;
  const named = stated('cases') === '' ? 0 : stated('cases').split(',').length;
  return Math.max(0, Number(stated('count')) - named) || 0;
}

/** Documents with the subject of the sum, by the values of this one; null for other findings. */
export function sumDocuments(
  { evidence }: { evidence: readonly Stated[] },
  form: readonly { name: string; field?: { normalised: string } | null }[],
  submitterId: string | null,
): { subject: ListSubject; list: DocumentList } | null {
  const stated = (of: string) => evidence.find(({ name }) => name === of)?.value ?? '';
  const entered = (of: string) => form.find(({ name }) => name === of)?.field?.normalised ?? '';
  const from = /^\d{4}-\d{2}-\d{2}/.exec(stated('since'))?.[0];
  if (from === undefined) return null;
  switch (stated('subject')) {
    case 'counterparty': {
      const counterparty = entered('vendor');
      return counterparty
        ? { subject: 'counterparty', list: { to: '/cases', search: { counterparty, from } } }
        : null;
    }
    case 'submitter':
      return submitterId
        ? { subject: 'submitter', list: { to: '/cases', search: { submitter: submitterId, from } } }
        : null;
    case 'account': {
      const q = entered('iban');
      return q ? { subject: 'account', list: { to: '/search', search: { q } } } : null;
    }
    default:
      return null;
  }
}
