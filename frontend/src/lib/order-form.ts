// The form of a payment order: what it holds, and what is wrong with it.
import type { OrderGroundInput, OrderGroundKind, OrderInput } from '../graphql/generated/graphql';
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
