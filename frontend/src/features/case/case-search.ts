// The filters, the order and the columns of the case list, all in its address.
import type { CaseFilter, CaseSort, CaseStatus, Channel } from '../../graphql/generated/graphql';
import { type CasesSearch, searchNames } from '../../lib/case-address';
import { startOfDay } from '../../lib/days';
import { isPlainAmount } from '../../lib/money';
import { plainID } from '../../lib/plain-id';

export type { CasesSearch };

/** The filters of the panel: all besides the text and the status, which are always shown. */
export const panelNames = searchNames.filter(
  (name) => !['text', 'status', 'sort', 'columns', 'view'].includes(name),
);

/** Filters and orders about the review work, which submitters do not see. */
const workNames: readonly string[] = ['minRisk', 'maxRisk', 'queue', 'rule'];

export const sources = ['web', 'api', 'cli', 'mail', 'folder'] as const;

export const sorts = [
  'newest',
  'oldest',
  'amount_highest',
  'amount_lowest',
  'risk_highest',
  'risk_lowest',
  'deadline',
] as const;
export type SortName = (typeof sorts)[number];

/** The orders that a person can choose. */
export function sortsFor(staff: boolean): readonly SortName[] {
  return sorts.filter((sort) => staff || !/^(risk|deadline)/.test(sort));
}

/** The order of the address; an unknown one is the newest first. */
export function sortOf(search: CasesSearch, staff: boolean): SortName {
  return sortsFor(staff).find((sort) => sort === search.sort) ?? 'newest';
}

export const columns = [
  'party',
  'type',
  'amount',
  'risk',
  'status',
  'next',
  'submitter',
  'source',
  'submitted',
  'updated',
] as const;
export type Column = (typeof columns)[number];

const usualColumns: readonly Column[] = ['party', 'amount', 'status', 'next', 'updated'];

/** The columns of the address in their order; without any, the usual ones. */
export function columnsOf(search: CasesSearch, staff: boolean): readonly Column[] {
  const named = (search.columns ?? '').split(',');
  const chosen = columns.filter((column) => named.includes(column));
  const shown = chosen.length > 0 ? chosen : usualColumns;
  return shown.filter((column) => staff || column !== 'risk');
}

/** The columns as text of the address; undefined for the usual ones. */
export function columnsText(chosen: readonly Column[]): string | undefined {
  const inOrder = columns.filter((column) => chosen.includes(column));
  const text = inOrder.join();
  return text === '' || text === usualColumns.join() ? undefined : text;
}

/** A whole number from 0 to 100 in the address; null for other texts. */
function riskIn(text: string | undefined): number | null {
  return text !== undefined && /^(100|\d{1,2})$/.test(text) ? Number(text) : null;
}

export const isRisk = (text: string) => text === '' || riskIn(text) !== null;

const amountIn = (text: string | undefined) =>
  text !== undefined && isPlainAmount(text) ? text : null;

/** The amounts of the address; null without a currency. */
function amountsOf(search: CasesSearch) {
  if (!search.currency || !/^[A-Za-z]{3}$/.test(search.currency)) return null;
  return {
    currency: search.currency.toUpperCase(),
    from: amountIn(search.amountFrom),
    to: amountIn(search.amountTo),
  };
}

const known = <T extends string>(list: readonly T[], text: string | undefined): T | null =>
  list.find((one) => one === text) ?? null;

/** The filter of the API; null without filters. Values of the address that are invalid do not filter. */
export function filterOf(
  search: CasesSearch,
  staff: boolean,
  statuses: readonly string[],
): CaseFilter | null {
  const status = known(statuses, search.status);
  const source = known(sources, search.source);
  const filter: CaseFilter = {
    ...(search.text && { text: search.text }),
    ...(status && { statuses: [status.toUpperCase() as CaseStatus] }),
    ...(search.process && { process: search.process }),
    ...(search.type && { documentType: search.type }),
    ...(search.counterparty && { counterparty: search.counterparty }),
    ...(search.submitter && { submitterId: search.submitter }),
    ...(source && { channel: source.toUpperCase() as Channel }),
    ...dated('submittedFrom', startOfDay(search.from ?? '')),
    ...dated('submittedTo', startOfDay(search.to ?? '', 1)),
    ...(amountsOf(search) && { amount: amountsOf(search) }),
  };
  const work: CaseFilter = {
    ...(riskIn(search.minRisk) !== null && { minRisk: riskIn(search.minRisk) }),
    ...(riskIn(search.maxRisk) !== null && { maxRisk: riskIn(search.maxRisk) }),
    ...(search.queue && { queue: search.queue }),
    ...(search.rule && { rule: search.rule }),
  };
  const all = staff ? { ...filter, ...work } : filter;
  return Object.keys(all).length > 0 ? all : null;
}

function dated(name: 'submittedFrom' | 'submittedTo', at: Date | null): CaseFilter {
  return at ? { [name]: at.toISOString() } : {};
}

export const sortEnum = (sort: SortName) => sort.toUpperCase() as CaseSort;

/** The parameters of an export of the same cases. */
export function exportFilters(
  search: CasesSearch,
  staff: boolean,
  statuses: readonly string[],
): Record<string, string | undefined> {
  const filter = filterOf(search, staff, statuses) ?? {};
  return {
    text: search.text,
    status: known(statuses, search.status) ?? undefined,
    process: search.process,
    type: search.type,
    counterparty: search.counterparty,
    submitter: (search.submitter && plainID(search.submitter)) || undefined,
    source: known(sources, search.source) ?? undefined,
    from: filter.submittedFrom ?? undefined,
    to: filter.submittedTo ?? undefined,
    currency: filter.amount?.currency,
    amountFrom: filter.amount?.from ?? undefined,
    amountTo: filter.amount?.to ?? undefined,
    minRisk: filter.minRisk?.toString(),
    maxRisk: filter.maxRisk?.toString(),
    queue: filter.queue ?? undefined,
    rule: filter.rule ?? undefined,
  };
}

/** The number of filters of the panel that are in force. */
export function panelCount(search: CasesSearch, staff: boolean): number {
  return panelNames.filter((name) => search[name] && (staff || !workNames.includes(name))).length;
}

/** The address with changes; empty texts are left out. */
export function changed(search: CasesSearch, change: CasesSearch): CasesSearch {
  const next: CasesSearch = {};
  for (const name of searchNames) {
    const text = (name in change ? change[name] : search[name])?.trim();
    if (text) next[name] = text;
  }
  return next;
}
