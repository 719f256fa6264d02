// The documents that a finding about a sum counts.

interface Stated {
  name: string;
  value: string;
}

/** The number of documents whose amounts a finding adds up; null for other findings. */
export function countedDocuments({ evidence }: { evidence: readonly Stated[] }): number | null {
  const stated = (of: string) => evidence.find(({ name }) => name === of)?.value ?? '';
  const count = Number(stated('count'));
  return stated('subject') !== '' && Number.isInteger(count) && count > 0 ? count : null;
}
