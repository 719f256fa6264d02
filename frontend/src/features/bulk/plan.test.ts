import { describe, expect, it } from 'vitest';
import type { BulkReviewFragment } from '../../graphql/generated/graphql';
import { byCause, onlyReviews, shareOf, type Work } from './plan';

const chosen = (id: string, more = {}) => ({
  id,
  reference: `CS-${id}`,
  version: '1',
  final: false,
  ...more,
});

const review = (id: string, more = {}) =>
  ({
    id,
    version: '1',
    queue: 'L1',
    status: 'OPEN',
    drawn: false,
    bulkApproval: { within: true, outside: '', maxRisk: 29, maxAmount: null },
    case: { id: 'a', version: '1' },
    ...more,
  }) as unknown as BulkReviewFragment;

const outside = (name: string) => ({ bulkApproval: { within: false, outside: name } });
const work = (of: Record<string, Partial<Work>>) =>
  new Map(Object.entries(of).map(([id, one]) => [id, { own: [], all: [], ...one }]));
const cause = (share: ReturnType<typeof shareOf>) => share.leftOut.map((one) => one.cause);
const reviews = (share: ReturnType<typeof shareOf>) => share.targets.map((one) => one.review.id);

describe('the share of a selection that a command can do', () => {
  it('counts no case whose reviews are unknown', () => {
    expect(shareOf('claim', [chosen('a')], new Map())).toEqual({ targets: [], leftOut: [] });
  });

  it('names closed cases and those that another person has or that are not for the user', () => {
    const known = work({ a: {}, b: {} });
    const share = shareOf('approve', [chosen('a', { final: true }), chosen('b')], known);
    expect(cause(share)).toEqual(['closed', 'notYours']);
    expect(cause(shareOf('reassign', [chosen('b')], known))).toEqual(['noReview']);
  });

  it('takes one review of a case, the claimed one before others', () => {
    const known = work({ a: { own: [review('r'), review('s', { status: 'CLAIMED' })] } });
    const approve = shareOf('approve', [chosen('a')], known);
    expect([reviews(approve), cause(approve)]).toEqual([['s'], ['another']]);
    const claim = shareOf('claim', [chosen('a')], known);
    expect([reviews(claim), cause(claim)]).toEqual([['r'], []]);
    const claimed = work({ a: { own: [review('s', { status: 'CLAIMED' })] } });
    expect(cause(shareOf('claim', [chosen('a')], claimed))).toEqual(['yours']);
  });

  it('releases every review of a case that the user has claimed, and names no others', () => {
    const known = work({ a: { own: [review('r'), review('s', { status: 'CLAIMED' })] }, b: {} });
    const release = shareOf('release', [chosen('a'), chosen('b')], known);
    expect([reviews(release), cause(release)]).toEqual([['s'], []]);
  });

  it('reassigns every review of a case', () => {
    const known = work({ a: { all: [review('r'), review('s')] } });
    expect(reviews(shareOf('reassign', [chosen('a')], known))).toEqual(['r', 's']);
    const one = onlyReviews(known, new Set(['s']));
    expect(reviews(shareOf('reassign', [chosen('a')], one))).toEqual(['s']);
  });

  it('approves nothing that changed after it was selected, or that bulk approval leaves out', () => {
    const known = (more: object) => work({ a: { own: [review('r', more)] } });
    expect(cause(shareOf('approve', [chosen('a', { version: '0' })], known({})))).toEqual([
      'changed',
    ]);
    for (const name of ['amount', 'risk', 'missing', 'finding', 'signature', 'not_allowed']) {
      expect(cause(shareOf('approve', [chosen('a')], known(outside(name))))).toEqual([name]);
      expect(reviews(shareOf('claim', [chosen('a')], known(outside(name))))).toEqual(['r']);
    }
    // Without an answer of the server about the limits there is no approval.
    expect(cause(shareOf('approve', [chosen('a')], known({ bulkApproval: null })))).toEqual([
      'not_allowed',
    ]);
  });

  it('groups the cases that are left out', () => {
    const groups = byCause([
      { caseId: 'a', reference: 'A', cause: 'closed' },
      { caseId: 'b', reference: 'B', cause: 'amount' },
      { caseId: 'c', reference: 'C', cause: 'amount' },
    ]);
    expect(groups.map(([name, list]) => [name, list.length])).toEqual([
      ['amount', 2],
      ['closed', 1],
    ]);
  });
});
