import { expect, test } from 'vitest';
import { laterDeadline, nextDeadline, reviewOfStep } from './deadline';

const now = Date.parse('2026-11-28T10:00:00Z');
const soon = '2026-11-28T12:00:00Z';
const tomorrow = '2026-11-29T09:00:00Z';
const past = '2026-11-28T09:00:00Z';

test('an unclaimed review shows the claim deadline, because it acts first', () => {
  const review = { status: 'OPEN', claimBy: soon, decideBy: tomorrow };
  expect(nextDeadline(review, now)).toEqual({ kind: 'claim', iso: soon });
});

test('a claimed review shows the deadline to decide', () => {
  const review = { status: 'CLAIMED', claimBy: soon, decideBy: tomorrow };
  expect(nextDeadline(review, now)).toEqual({ kind: 'decide', iso: tomorrow });
});

test('a missed claim deadline acts no more', () => {
  expect(nextDeadline({ status: 'OPEN', claimBy: past, decideBy: soon }, now)).toEqual({
    kind: 'decide',
    iso: soon,
  });
  expect(nextDeadline({ status: 'OPEN', claimBy: past, decideBy: past }, now)?.kind).toBe('decide');
});

test('a claim deadline after the deadline to decide acts second', () => {
  const review = { status: 'OPEN', claimBy: tomorrow, decideBy: soon };
  expect(nextDeadline(review, now)?.kind).toBe('decide');
});

test('a review can have one deadline or none', () => {
  expect(nextDeadline({ status: 'OPEN', claimBy: null, decideBy: soon }, now)?.iso).toBe(soon);
  expect(nextDeadline({ status: 'OPEN', claimBy: soon, decideBy: null }, now)?.kind).toBe('claim');
  expect(nextDeadline({ status: 'OPEN', claimBy: null, decideBy: null }, now)).toBeNull();
});

test('the deadline to decide is shown as the later one only while the review must be claimed first', () => {
  const open = { status: 'OPEN', claimBy: soon, decideBy: tomorrow };
  expect(laterDeadline(open, now)).toEqual({ kind: 'decide', iso: tomorrow });
  expect(laterDeadline({ ...open, status: 'CLAIMED' }, now)).toBeNull();
  expect(laterDeadline({ ...open, claimBy: past }, now)).toBeNull();
});

test('the next step of a case has the deadlines of its review', () => {
  const step = { kind: 'REVIEW_OPEN', claimBy: soon, decideBy: tomorrow };
  expect(reviewOfStep(step)).toEqual({ status: 'OPEN', claimBy: soon, decideBy: tomorrow });
  expect(reviewOfStep({ ...step, kind: 'REVIEW_CLAIMED' })?.status).toBe('CLAIMED');
  expect(reviewOfStep({ kind: 'IN_REVIEW', claimBy: null, decideBy: null })).toBeNull();
});

test('the time limit of the step replaces a later deadline to decide', () => {
  const limited = { status: 'CLAIMED', claimBy: null, decideBy: tomorrow, endsAt: soon };
  expect(nextDeadline(limited, now)).toEqual({ kind: 'end', iso: soon });
  expect(laterDeadline(limited, now)).toBeNull();
  expect(nextDeadline({ ...limited, decideBy: null }, now)?.kind).toBe('end');
  expect(nextDeadline({ ...limited, decideBy: soon }, now)).toEqual({ kind: 'end', iso: soon });
  expect(nextDeadline({ ...limited, endsAt: past }, now)).toEqual({ kind: 'end', iso: past });
});

test('a claim deadline before the time limit acts first, and the time limit is the later one', () => {
  const claimFirst = '2026-11-28T11:00:00Z';
  const open = { status: 'OPEN', claimBy: claimFirst, decideBy: tomorrow, endsAt: soon };
  expect(nextDeadline(open, now)).toEqual({ kind: 'claim', iso: claimFirst });
  expect(laterDeadline(open, now)).toEqual({ kind: 'end', iso: soon });
  expect(nextDeadline({ ...open, claimBy: tomorrow }, now)?.kind).toBe('end');
});

test('a time limit after the deadline to decide is the later one', () => {
  const review = { status: 'CLAIMED', claimBy: null, decideBy: soon, endsAt: tomorrow };
  expect(nextDeadline(review, now)).toEqual({ kind: 'decide', iso: soon });
  expect(laterDeadline(review, now)).toEqual({ kind: 'end', iso: tomorrow });
  expect(nextDeadline({ ...review, decideBy: past }, now)?.kind).toBe('decide');
});

test('the next step of a case takes the time limit of its review', () => {
  const step = { kind: 'REVIEW_OPEN', claimBy: null, decideBy: tomorrow };
  expect(
    nextDeadline(reviewOfStep(step, soon) ?? { status: '', claimBy: null, decideBy: null }, now),
  ).toEqual({ kind: 'end', iso: soon });
});
