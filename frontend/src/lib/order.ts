// How a payment order compares with the document.
import type { OrderGroundState } from '../graphql/generated/graphql';

/** A value of the order beside what the document states. */
export interface OrderComparison {
  field: string;
  order: string;
  document: readonly string[];
  differs: boolean;
  covered: boolean;
}

/**
 * same: the document states it too; unstated: the document states none; explained: it differs and a
 * confirmed ground says why.
 */
export type ComparisonState = 'same' | 'unstated' | 'explained' | 'differs';

export function stateOf({ differs, covered, document }: OrderComparison): ComparisonState {
  if (differs) return covered ? 'explained' : 'differs';
  return document.length === 0 ? 'unstated' : 'same';
}

/** Whether every value of the document is written as in the order, apart from the spaces of accounts. */
export function writtenAlike({ field, order, document }: OrderComparison): boolean {
  const written = (value: string) => (field === 'iban' ? value.replace(/\s/g, '') : value);
  return document.every((value) => written(value) === written(order));
}

/** What the page says about the whole order. */
export type OrderVerdict = 'unread' | 'differs' | 'unconfirmed' | 'explained' | 'partly' | 'agrees';

export function verdictOf(
  order: {
    covered: boolean;
    comparison: readonly OrderComparison[];
    grounds: readonly { state: OrderGroundState }[];
  },
  read: boolean,
): OrderVerdict {
  if (!read) return 'unread';
  if (!order.covered)
    return order.grounds.some(({ state }) => state === 'STATED') ? 'unconfirmed' : 'differs';
  const states = order.comparison.map(stateOf);
  if (states.includes('explained')) return 'explained';
  return states.includes('unstated') ? 'partly' : 'agrees';
}

const unreadStatuses = new Set(['RECEIVED', 'PROCESSING', 'INCIDENT']);

/** Whether the document has been read, so that the comparison means something. */
export function isRead(
  { comparison }: { comparison: readonly OrderComparison[] },
  status: string,
): boolean {
  return !unreadStatuses.has(status) || comparison.some(({ document }) => document.length > 0);
}

/** Splits "717.97 EUR"; null for another text. */
export function moneyOf(text: string): { amount: string; currency: string } | null {
  const match = /^(-?\d+(?:\.\d+)?) ([A-Z]{3})$/.exec(text);
  return match ? { amount: match[1] ?? '', currency: match[2] ?? '' } : null;
}

/**
 * The amount of the document that differs from the order's, for lists; null if the case has no order
 * or they agree. No amount is an empty list.
 */
export function differingAmount(
  order: { comparison: readonly OrderComparison[] } | null | undefined,
  status: string,
): { amounts: { amount: string; currency: string }[]; covered: boolean } | null {
  const total = order?.comparison.find(({ field }) => field === 'total');
  if (!order || !total?.differs || !isRead(order, status)) return null;
  return {
    amounts: total.document.map(moneyOf).filter((one) => one !== null),
    covered: total.covered,
  };
}
