import { describe, expect, test } from 'vitest';
import { canBeUndone, needsNoQuestion } from './quick-approval';

type Review = Parameters<typeof needsNoQuestion>[0];
type Case = Review['case'];

const review = (more: Partial<Review> = {}, inCase: object = {}): Review =>
  ({
    undoable: ['APPROVE'],
    signatureRequired: false,
    duty: 'approval',
    approval: { allowed: true },
    ...more,
    case: {
      fieldForm: [],
      differences: [],
      order: null,
      approvalRequirements: [],
      findings: [],
      amount: null,
      declaredAmount: null,
      ...inCase,
    } as unknown as Case,
  }) as Review;
const read = (value: string) => ({ value, source: 'OCR', currency: 'MYR', by: null });
const line = { needsPerson: true, missing: false, required: false, doubts: ['LOW_CONFIDENCE'] };

describe('an approval without a question', () => {
  test('is given if it can be undone and nothing is open', () => {
    expect(needsNoQuestion(review(), null)).toBe(true);
  });
  test.each([
    ['no undo', review({ undoable: [] })],
    ['only a rejection can be undone', review({ undoable: ['REJECT'] })],
    ['a signature', review({ signatureRequired: true })],
    ['a payment order', review({ approval: { allowed: false } as Review['approval'] })],
    ['a value to check', review({}, { fieldForm: [line] })],
    [
      'a missing value',
      review({}, { fieldForm: [{ ...line, needsPerson: false, missing: true }] }),
    ],
    [
      'a sure value beside another one',
      review(
        {},
        {
          fieldForm: [{ ...line, name: 'total', needsPerson: false, doubts: [] }],
          differences: [{ field: 'total', pending: null, values: [read('9.00'), read('9.60')] }],
        },
      ),
    ],
    ['an explanation', review({}, { approvalRequirements: [{ satisfied: false }] })],
    ['a blocking finding', review({}, { findings: [{ severity: 'BLOCKING' }] })],
    ['a warning', review({}, { findings: [{ severity: 'WARNING', rule: 'age' }] })],
    [
      'another declared amount',
      review(
        {},
        {
          amount: { amount: '1558.90', currency: 'EUR' },
          declaredAmount: { amount: '100.00', currency: 'EUR' },
        },
      ),
    ],
  ])('is asked for in case of %s', (_, one) => {
    expect(needsNoQuestion(one, null)).toBe(false);
  });
  test.each([
    ['a hint', { findings: [{ severity: 'INFO', rule: 'age' }] }],
    [
      'an explained warning',
      {
        findings: [{ severity: 'WARNING', rule: 'age' }],
        approvalRequirements: [{ rule: 'age', satisfied: true }],
      },
    ],
    [
      'the declared amount',
      {
        amount: { amount: '100.00', currency: 'EUR' },
        declaredAmount: { amount: '100.0', currency: 'EUR' },
      },
    ],
    ['a field of an explained finding', { fieldForm: [{ ...line, doubts: ['FINDING'] }] }],
  ])('needs none because of %s', (_, inCase) => {
    expect(needsNoQuestion(review({}, inCase), null)).toBe(true);
  });
  test('is asked for in the name of a delegator', () => {
    expect(needsNoQuestion(review(), 'delegator')).toBe(false);
    expect(canBeUndone(review(), 'APPROVE', 'delegator')).toBe(false);
    const undoable: Review['undoable'] = ['APPROVE', 'REJECT', 'RETURN', 'ESCALATE'];
    expect(canBeUndone(review({ undoable }), 'APPROVE', 'delegator')).toBe(true);
  });
});
