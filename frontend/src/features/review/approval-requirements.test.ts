import { expect, test } from 'vitest';
import {
  approvalStep,
  openRequirements,
  overridesToSend,
  type Requirement,
} from './approval-requirements';

const requirement = (
  rule: string,
  override: Requirement['override'],
  ...by: string[]
): Requirement => ({
  __typename: 'ApprovalRequirement' as const,
  rule,
  override,
  queue: override === 'QUEUE' ? 'AML' : null,
  satisfied: false,
  given: by.map((id) => ({
    __typename: 'FindingOverride' as const,
    reason: `${id} checked`,
    at: '2026-11-02T10:00:00Z',
    person: { __typename: 'Person' as const, id, name: id },
  })),
});

test('a satisfied requirement is not open', () => {
  const settled = { ...requirement('arithmetic', 'REASON', 'me'), satisfied: true };
  const open = requirement('iban_check', 'SECOND_PERSON');
  expect(openRequirements([settled, open])).toEqual([open]);
});

test('the step depends on what the findings need and on who stated a reason', () => {
  const reason = requirement('arithmetic', 'REASON');
  expect(approvalStep([], 'me')).toBe('approve');
  expect(approvalStep([reason], 'me')).toBe('approve');
  expect(approvalStep([reason, requirement('iban_check', 'SECOND_PERSON')], 'me')).toBe('passOn');
  expect(approvalStep([requirement('iban_check', 'SECOND_PERSON', 'me')], 'me')).toBe('passOn');
  expect(approvalStep([requirement('iban_check', 'SECOND_PERSON', 'other')], 'me')).toBe('approve');
  expect(approvalStep([reason, requirement('risk', 'QUEUE')], 'me')).toBe('stopped');
  expect(approvalStep([requirement('amount_missing', 'NEVER')], 'me')).toBe('stopped');
});

test('a missing reason stops the step, unless the reason of the decision counts for it', () => {
  const one = requirement('arithmetic', 'REASON');
  const two = requirement('iban_check', 'SECOND_PERSON', 'other');
  expect(overridesToSend([one], {}, '', 'approve')).toBeNull();
  expect(overridesToSend([one], { arithmetic: '  ' }, '', 'approve')).toBeNull();
  expect(overridesToSend([one], {}, 'rounded', 'approve')).toEqual([]);
  expect(overridesToSend([one], { arithmetic: ' rounded ' }, '', 'approve')).toEqual([
    { rule: 'arithmetic', reason: 'rounded' },
  ]);
  expect(overridesToSend([two], {}, 'rounded', 'approve')).toBeNull();
  expect(overridesToSend([one, two], { iban_check: 'called' }, '', 'passOn')).toEqual([
    { rule: 'iban_check', reason: 'called' },
  ]);
});
