// The statuses of a case. Their machine is in document-status.ts; a label needs the names alone.

/** The case statuses, as the machine names its states. */
export const documentStates = [
  'received',
  'processing',
  'in_review',
  'returned',
  'approved',
  'settling',
  'archived',
  'rejected',
  'incident',
  'abandoned',
] as const;
export type DocumentState = (typeof documentStates)[number];

export const finalStates: readonly DocumentState[] = ['archived', 'rejected', 'abandoned'];

/** The state of an API status: IN_REVIEW -> in_review. */
export function documentStateOf(status: string): DocumentState {
  const name = status.toLowerCase();
  return documentStates.find((state) => state === name) ?? 'processing';
}
