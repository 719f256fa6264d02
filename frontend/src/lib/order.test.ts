import { describe, expect, it } from 'vitest';
import { differingAmount, type OrderComparison, stateOf, verdictOf } from './order';
import {
  draftOf,
  emptyOrder,
  isCompleteOrder,
  type OrderDraft,
  type OrderField,
  orderFaults,
  orderInputOf,
  placedRefusals,
} from './order-form';

const complete = (more: Partial<Record<OrderField, string>> = {}): OrderDraft => ({
  ...emptyOrder,
  values: {
    payer: 'Kunde AG',
    reference: 'P-1',
    payee: 'Muster Werke GmbH',
    account: 'DE89370400440532013000',
    bic: '',
    country: 'DE',
    amount: '600.00',
    currency: 'EUR',
    purpose: 'invoice',
    ...more,
  },
});

const line = (field: string, more: Partial<OrderComparison> = {}): OrderComparison => ({
  field,
  order: 'x',
  document: ['x'],
  differs: false,
  covered: true,
  ...more,
});

describe('the form of an order', () => {
  it('needs every value except the BIC', () => {
    expect(isCompleteOrder(complete())).toBe(true);
    expect(Object.keys(orderFaults(emptyOrder))).toHaveLength(8);
    expect(orderFaults(emptyOrder).bic).toBeUndefined();
    expect(orderFaults(complete({ purpose: '  ' }))).toEqual({ purpose: 'missing' });
  });

  it('checks amount and currency', () => {
    expect(orderFaults(complete({ amount: '1,200' })).amount).toBe('amount');
    expect(orderFaults(complete({ amount: '0.00' })).amount).toBe('positive');
    expect(orderFaults(complete({ currency: 'EU' })).currency).toBe('currency');
  });

  it('asks for the explanation of a ground', () => {
    const ground = { kind: 'PART_PAYMENT' as const, explanation: ' ' };
    expect(orderFaults({ ...complete(), ground }).explanation).toBe('explanation');
  });

  it('sends an empty BIC and no ground as null', () => {
    expect(orderInputOf(complete())).toMatchObject({
      bic: null,
      ground: null,
      amount: { amount: '600.00', currency: 'EUR' },
    });
  });

  it('begins a restatement with the order as it is', () => {
    const order = { ...orderInputOf(complete()), bic: null };
    expect(draftOf(order)).toEqual(complete());
  });
});

describe('the refusals of an order', () => {
  const refusal = (field: string) => ({ code: 'InvalidInput', message: field, field });

  it('are beside their values until these are changed', () => {
    const sent = complete();
    const all = [refusal('order.account'), refusal('ground.kind'), refusal('process')];
    const { byPart, others } = placedRefusals(all, sent, sent);
    expect(Object.keys(byPart)).toEqual(['account', 'kind']);
    expect(others).toEqual([refusal('process')]);
    const changed = complete({ account: 'GB29NWBK60161331926819' });
    expect(Object.keys(placedRefusals(all, sent, changed).byPart)).toEqual(['kind']);
  });
});

describe('an order beside its document', () => {
  it('does not call a value the same that the document does not state', () => {
    expect(stateOf(line('iban', { document: [] }))).toBe('unstated');
    expect(stateOf(line('iban'))).toBe('same');
    expect(stateOf(line('iban', { differs: true, covered: false }))).toBe('differs');
    expect(stateOf(line('iban', { differs: true }))).toBe('explained');
  });

  it('is not fine with a ground that is not confirmed', () => {
    const comparison = [line('total', { differs: true, covered: false })];
    const order = (state: 'STATED' | 'LAPSED') => ({
      covered: false,
      comparison,
      grounds: [{ state }],
    });
    expect(verdictOf(order('STATED'), true)).toBe('unconfirmed');
    expect(verdictOf(order('LAPSED'), true)).toBe('differs');
    expect(verdictOf(order('LAPSED'), false)).toBe('unread');
  });

  it('agrees only if the document states everything', () => {
    const order = (...comparison: OrderComparison[]) => ({
      covered: true,
      comparison,
      grounds: [],
    });
    expect(verdictOf(order(line('total'), line('iban')), true)).toBe('agrees');
    expect(verdictOf(order(line('total'), line('iban', { document: [] })), true)).toBe('partly');
    expect(verdictOf(order(line('total', { differs: true })), true)).toBe('explained');
  });

  it('shows the document’s amount in lists after it was read', () => {
    const order = {
      comparison: [line('total', { differs: true, covered: false, document: ['717.97 EUR'] })],
    };
    const shown = { amounts: [{ amount: '717.97', currency: 'EUR' }], covered: false };
    expect(differingAmount(order, 'IN_REVIEW')).toEqual(shown);
    const none = { comparison: [line('total', { differs: true, document: [] })] };
    expect(differingAmount(none, 'PROCESSING')).toBeNull();
    expect(differingAmount(none, 'IN_REVIEW')).toEqual({ amounts: [], covered: true });
    expect(differingAmount(null, 'IN_REVIEW')).toBeNull();
  });
});
