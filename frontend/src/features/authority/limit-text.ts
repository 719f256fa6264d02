// Limits of roles as the text of a policy writes them, and what a form shows of them.
import { amountText, minorUnits } from '../../lib/minor-units';
import { baseCurrency } from '../../lib/money';
import type { LimitChange } from './policy-text';

export interface PresentLimit {
  role: string;
  documentType: string;
  /** Null for any amount. */
  amount: { amount: string; currency: string } | null;
}
export type LimitKind = 'amount' | 'unlimited' | 'none';

/** The limit of a role for a document type, '' for every type without its own. */
export interface LimitForm {
  kind: LimitKind;
  amount: string;
}

/** The limit in force as the text of a policy writes it. */
export function presentLimit(
  limits: readonly PresentLimit[],
  role: string,
  documentType: string,
): string {
  const found = limits.find((one) => one.role === role && one.documentType === documentType);
  if (!found) return 'none';
  return found.amount ? `${found.amount.amount} ${found.amount.currency}` : 'unlimited';
}

/** The limit that the text changes, or the one in force. */
export function limitText(
  limits: readonly PresentLimit[],
  changes: readonly LimitChange[],
  role: string,
  documentType: string,
): string {
  const change = changes.find((one) => one.role === role && one.documentType === documentType);
  return change?.after ?? presentLimit(limits, role, documentType);
}

export function limitForm(text: string): LimitForm {
  if (text === 'none' || text === 'unlimited') return { kind: text, amount: '' };
  return { kind: 'amount', amount: text.replace(` ${baseCurrency}`, '') };
}

/** The form as the text of a policy writes it; null while it has no amount. */
export function textOfForm({ kind, amount }: LimitForm): string | null {
  if (kind !== 'amount') return kind;
  const minor = minorUnits(amount);
  return minor === null ? null : `${amountText(minor)} ${baseCurrency}`;
}
