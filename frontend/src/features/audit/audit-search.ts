// The filters of a search in the audit log: as the form has them, as the query and as the export take
// them.
import type { AuditSearchFilter } from '../../graphql/generated/graphql';
import { startOfDay } from '../../lib/days';
import { isPlainAmount } from '../../lib/money';

/** The form; empty texts select everything. Days are the user's, the last one included. */
export interface SearchForm {
  kind: 'EVENT' | 'ACCESS';
  person: string | null;
  type: string | null;
  from: string;
  to: string;
  min: string;
  max: string;
  rule: string;
  outcome: AuditSearchFilter['outcome'] | null;
}

export const emptySearch: SearchForm = {
  kind: 'EVENT',
  person: null,
  type: null,
  from: '',
  to: '',
  min: '',
  max: '',
  rule: '',
  outcome: null,
};

/** An amount in the base currency as minor units; null if it is empty. */
function minorUnits(amount: string): string | null {
  if (!isPlainAmount(amount)) return null;
  const [units = '0', cents = ''] = amount.split('.');
  return BigInt(units + cents.padEnd(2, '0').slice(0, 2)).toString();
}

/** Whether an amount can be sent. */
export const isAmount = (text: string): boolean =>
  text.trim() === '' || /^\d{1,15}(\.\d{1,2})?$/.test(text.trim());

export function filterOf(form: SearchForm): AuditSearchFilter {
  return {
    kind: form.kind,
    personId: form.person,
    types: form.type ? [form.type] : null,
    from: startOfDay(form.from)?.toISOString() ?? null,
    to: startOfDay(form.to, 1)?.toISOString() ?? null,
    minBaseMinor: minorUnits(form.min.trim()),
    maxBaseMinor: minorUnits(form.max.trim()),
    rule: form.rule.trim() || null,
    outcome: form.outcome ?? null,
  };
}

/** The parameters of the export; `personId` is the plain id of the person. */
export function exportFilters(form: SearchForm, personId: string | null) {
  const filter = filterOf(form);
  return {
    accesses: form.kind === 'ACCESS' ? 'true' : undefined,
    person: personId ?? undefined,
    types: form.type ?? undefined,
    from: filter.from ?? undefined,
    to: filter.to ?? undefined,
    min: filter.minBaseMinor ?? undefined,
    max: filter.maxBaseMinor ?? undefined,
    rule: filter.rule ?? undefined,
    outcome: filter.outcome ?? undefined,
  };
}
