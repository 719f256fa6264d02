// Payment orders: what a form holds, and how the order compares with the document.
import type {
  OrderGroundInput,
  OrderGroundKind,
  OrderGroundState,
  OrderInput,
} from '../graphql/generated/graphql';
import { isPlainAmount } from './money';
import type { Refusal } from './refusals';

/** The values of an order in the order of the form. */
export const orderFields = [
  'payer',
  'reference',
  'payee',
  'account',
  'bic',
  'country',
  'amount',
  'currency',
  'purpose',
] as const;

export type OrderField = (typeof orderFields)[number];

/** Kinds of grounds about the amount, which submitters may state; reviewers may state all. */
export const amountGrounds = [
  'PART_PAYMENT',
  'SEVERAL_INVOICES',
  'CHARGES',
  'OTHER_CURRENCY',
  'NO_AMOUNT',
] as const satisfies readonly OrderGroundKind[];

/** An order as typed. */
export interface OrderDraft {
  values: Readonly<Record<OrderField, string>>;
  ground: { kind: OrderGroundKind | ''; explanation: string };
}

export const emptyOrder: OrderDraft = {
  values: {
    payer: '',
    reference: '',
    payee: '',
    account: '',
    bic: '',
    country: '',
    amount: '',
    currency: '',
    purpose: '',
  },
  ground: { kind: '', explanation: '' },
};

export type OrderFault = 'missing' | 'amount' | 'positive' | 'currency' | 'explanation';

/** Everything in the form that can have a fault: a value, or the explanation of the ground. */
export type OrderPart = OrderField | 'kind' | 'explanation';

export type OrderFaults = Readonly<Partial<Record<OrderPart, OrderFault>>>;

/** What the page can tell is wrong; the server checks the rest. */
export function orderFaults({ values, ground }: OrderDraft): OrderFaults {
  const faults: Partial<Record<OrderPart, OrderFault>> = {};
  for (const field of orderFields)
    if (field !== 'bic' && values[field].trim() === '') faults[field] = 'missing';
  if (!faults.amount && !isPlainAmount(values.amount)) faults.amount = 'amount';
  else if (!faults.amount && !/[1-9]/.test(values.amount)) faults.amount = 'positive';
  if (!faults.currency && !/^[A-Z]{3}$/.test(values.currency)) faults.currency = 'currency';
  if (ground.kind !== '' && ground.explanation.trim() === '') faults.explanation = 'explanation';
  return faults;
}

export const isCompleteOrder = (draft: OrderDraft): boolean =>
  Object.keys(orderFaults(draft)).length === 0;

export function orderInputOf({ values, ground }: OrderDraft): OrderInput {
  const { amount, currency, bic, ...texts } = values;
  return {
    ...texts,
    bic: bic.trim() === '' ? null : bic,
    amount: { amount: amount.trim(), currency },
    ground: ground.kind === '' ? null : groundInputOf(ground.kind, ground.explanation),
  };
}

const groundInputOf = (kind: OrderGroundKind, explanation: string): OrderGroundInput => ({
  kind,
  explanation: explanation.trim(),
});

/** The draft of a restatement: the order as it is. */
export function draftOf(order: {
  payer: string;
  reference: string;
  payee: string;
  account: string;
  bic?: string | null;
  country: string;
  amount: { amount: string; currency: string };
  purpose: string;
}): OrderDraft {
  const { payer, reference, payee, account, country, purpose, amount } = order;
  return {
    ...emptyOrder,
    values: {
      ...{ payer, reference, payee, account, country, purpose },
      bic: order.bic ?? '',
      amount: amount.amount,
      currency: amount.currency,
    },
  };
}

/** The part of the form that a refusal is about; null if it is about none. */
export function partOf(refusal: Refusal): OrderPart | null {
  const [of, name] = (refusal.field ?? '').split('.');
  if (of === 'ground') return name === 'kind' ? 'kind' : 'explanation';
  return of === 'order' ? (orderFields.find((field) => field === name) ?? null) : null;
}

const textOf = (draft: OrderDraft, part: OrderPart): string =>
  part === 'kind' || part === 'explanation' ? draft.ground[part] : draft.values[part];

/**
 * The refusals beside their parts of the form, and the others. A refusal is shown until its part is
 * changed.
 */
export function placedRefusals(
  refusals: readonly Refusal[],
  sent: OrderDraft,
  draft: OrderDraft,
): { byPart: Partial<Record<OrderPart, Refusal>>; others: Refusal[] } {
  const byPart: Partial<Record<OrderPart, Refusal>> = {};
  const others: Refusal[] = [];
  for (const refusal of refusals) {
    const part = partOf(refusal);
    if (part === null) others.push(refusal);
    else if (textOf(sent, part) === textOf(draft, part)) byPart[part] ??= refusal;
  }
  return { byPart, others };
}

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

/** An account in full; an IBAN in groups of four. */
export function groupedAccount(account: string): string {
  return /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(account)
    ? account.replace(/(.{4})(?=.)/g, '$1 ')
    : account;
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
