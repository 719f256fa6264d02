// The address of the case list: its filters, its order and its columns.

/** The texts of the address. Each is left out if it is empty. */
export const searchNames = [
  'text',
  'status',
  'process',
  'type',
  'counterparty',
  'submitter',
  'source',
  'from',
  'to',
  'currency',
  'amountFrom',
  'amountTo',
  'minRisk',
  'maxRisk',
  'queue',
  'rule',
  'sort',
  'columns',
  'view',
] as const;

export type CasesSearch = { [key in (typeof searchNames)[number]]?: string };
