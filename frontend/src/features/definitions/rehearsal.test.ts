// The reasons of a rehearsed case, the change and the CSV file.
import type { TFunction } from 'i18next';
import { describe, expect, test } from 'vitest';
import type { RecordedRehearsalFragment } from '../../graphql/generated/graphql';
import {
  briefOf,
  changeOf,
  csvOf,
  groupsOf,
  type Rehearsed,
  type RehearsedCase,
  reasonsOf,
  ruleNamesOf,
  widestReport,
} from './rehearsal';

const t = ((key: string, values?: Record<string, unknown>) =>
  `${key} ${JSON.stringify(values ?? {})}`) as unknown as TFunction<'translation'>;

const same: RehearsedCase = {
  __typename: 'RehearsedCase',
  caseId: '1',
  reference: 'CS-1',
  before: ['start'],
  after: ['start'],
  addedReviews: [],
  droppedReviews: [],
  changedReviews: [],
  endBefore: 'ARCHIVED',
  endAfter: 'ARCHIVED',
  reviews: [],
  tooFewBefore: false,
  tooFewAfter: false,
  unassignedBefore: false,
  unassignedAfter: false,
  lacks: [],
  found: [],
  lost: [],
  undetermined: [],
  riskBefore: 0,
  riskAfter: 0,
  refusedBy: [],
  problem: null,
  problemNode: null,
};
const names = new Map([['review', 'Review']]);
const review = { __typename: 'RehearsedReview' as const, node: 'review', queue: 'L1' };

describe('reasons of a case', () => {
  test('a review that exists without the change is no additional one, also if it is undecided', () => {
    const undecided = { ...review, verdict: null, eligible: 4, assignable: 4 };
    const open = { ...same, reviews: [undecided, undecided, { ...undecided, node: 'x' }] };
    expect(reasonsOf(t, { ...open, tooFewAfter: true }, names)).toEqual([
      'rehearsal.tooFew {}',
      'rehearsal.undecidedTimes {"node":"Review","queue":"L1","times":2,"count":4}',
      'rehearsal.undecided {"node":"x","queue":"L1","times":1,"count":4}',
    ]);
    expect(reasonsOf(t, { ...open, endAfter: 'REJECTED' }, names)).toHaveLength(1);
    expect(reasonsOf(t, { ...open, addedReviews: ['x'] }, names)).toEqual([
      'rehearsal.asked {"node":"x","queue":"L1","times":1,"count":4}',
    ]);
  });

  test('a review that its queue assigns to fewer people, or to no one, is named so', () => {
    const reasons = reasonsOf(
      t,
      {
        ...same,
        addedReviews: ['review'],
        unassignedAfter: true,
        reviews: [
          { ...review, verdict: null, eligible: 3, assignable: 1 },
          { ...review, verdict: null, eligible: 3, assignable: 1 },
          { ...review, verdict: null, eligible: 3, assignable: 0 },
        ],
      },
      names,
    );
    expect(reasons).toEqual([
      'rehearsal.unassigned {}',
      'rehearsal.assigned {"node":"Review","queue":"L1","times":2,"count":3,"assignable":1}',
      'rehearsal.assigned {"node":"Review","queue":"L1","times":1,"count":3,"assignable":0}',
    ]);
  });

  test('a review that did not exist is named with the people who could have taken it', () => {
    const reasons = reasonsOf(
      t,
      {
        ...same,
        addedReviews: ['review'],
        reviews: [
          { ...review, verdict: null, eligible: 2, assignable: 2 },
          { ...review, verdict: 'APPROVE', eligible: 3, assignable: 3 },
        ],
      },
      names,
    );
    expect(reasons).toEqual(['rehearsal.asked {"node":"Review","queue":"L1","times":1,"count":2}']);
  });

  test('seats of one step are counted, and a step without a new review is named', () => {
    const asked = { ...review, verdict: null, eligible: 6, assignable: 6 };
    expect(
      reasonsOf(t, { ...same, addedReviews: ['review', 'x'], reviews: [asked, asked] }, names),
    ).toEqual([
      'rehearsal.added {"nodes":"x"}',
      'rehearsal.askedTimes {"node":"Review","queue":"L1","times":2,"count":6}',
    ]);
  });

  test('cases with the same reasons are one group, and no case is lost', () => {
    const cases = [['a'], ['b'], ['a'], ['a', 'b'], ['a']].map((reasons, id) => ({ id, reasons }));
    expect(groupsOf(cases).map((group) => group.map(({ id }) => id))).toEqual([
      [0, 2, 4],
      [1],
      [3],
    ]);
  });

  test('a stopped case says where and why, and nothing about its end', () => {
    const stopped = {
      ...same,
      problem: 'x is unknown.',
      problemNode: 'review',
      endAfter: 'PROCESSING',
    };
    expect(reasonsOf(t, stopped as RehearsedCase, names)).toEqual([
      'rehearsal.stopsAt {"node":"Review","problem":"x is unknown."}',
    ]);
  });

  test('too few people count only if they were enough before', () => {
    expect(reasonsOf(t, { ...same, tooFewAfter: true }, names)).toEqual(['rehearsal.tooFew {}']);
    expect(reasonsOf(t, { ...same, tooFewBefore: true, tooFewAfter: true }, names)).toEqual([
      'rehearsal.nodes {"added":"–","dropped":"–"}',
    ]);
  });
});

test('a case with other findings names the rules, and those that cannot be determined first', () => {
  const one = {
    ...same,
    found: ['large'],
    lost: ['small'],
    undetermined: ['split'],
    refusedBy: ['large'],
    riskAfter: 60,
  };
  const titles = [
    { __typename: 'NameValue' as const, name: 'en', value: 'Large amount' },
    { __typename: 'NameValue' as const, name: 'zh', value: '大额' },
  ];
  const rules = [{ rule: 'large', titles }] as unknown as NonNullable<Rehearsed['rules']>;
  expect(reasonsOf(t, one, names, ruleNamesOf(rules, 'zh'))).toEqual([
    'rehearsal.undetermined {"rules":"split"}',
    'rehearsal.found {"rules":"大额"}',
    'rehearsal.lost {"rules":"small"}',
    'rehearsal.risk {"before":0,"after":60}',
    'rehearsal.refusedBy {"rules":"大额"}',
  ]);
});

test('a change of a queue needs the queue', () => {
  expect(changeOf('text', 'key: x', null, 0)).toEqual({ process: 'key: x' });
  expect(changeOf('reviewers', 'key: x', null, 1)).toBeNull();
  expect(changeOf('reviewers', 'key: x', 'L1', 1)).toEqual({ reviewers: { queue: 'L1', more: 1 } });
  expect(changeOf('deadline', 'key: x', 'L1', 50)).toEqual({
    deadline: { queue: 'L1', percent: 50 },
  });
});

test('a CSV file quotes its cells and holds no formula', () => {
  expect(
    csvOf([
      ['a"b', '=1+1'],
      ['-2', 'c, d'],
    ]),
  ).toBe('\ufeff"a""b","\'=1+1"\r\n"\'-2","c, d"\r\n');
});

describe('the report in the dialog that publishes', () => {
  const report = (sha256: string, cases: number, ofThisText = true, rest = {}) =>
    ({
      sha256,
      cases,
      ofThisText,
      same: cases,
      hidden: 0,
      complete: true,
      ...rest,
    }) as RecordedRehearsalFragment;

  test('a newer report over a few cases, or of another text, does not hide one over many', () => {
    const reports = [
      report('few', 1),
      report('many', 67),
      report('older', 67),
      report('x', 900, false),
    ];
    expect(widestReport(reports)?.sha256).toBe('many');
    expect(widestReport([report('x', 900, false)])).toBeNull();
  });

  test('fewer controls are named first, and an incomplete rehearsal is called one', () => {
    const sums = { moreReviews: 59, personToStraight: 1, tooFewBefore: 2, complete: false };
    expect(briefOf(t, report('a', 67, true, sums))).toEqual([
      'rehearsal.recorded.brief.personToStraight {"count":1,"all":67,"before":2}',
      'rehearsal.recorded.brief.moreReviews {"count":59,"all":67,"before":2}',
      'rehearsal.recorded.incomplete {}',
    ]);
    expect(briefOf(t, report('b', 67))).toEqual(['rehearsal.recorded.nothing {}']);
    expect(briefOf(t, report('c', 0))).toEqual([]);
  });

  test('nothing changes only if every case is the same, and cases that were left out are named', () => {
    expect(briefOf(t, report('a', 67, true, { same: 60, otherReviews: 7, hidden: 900 }))).toEqual([
      'rehearsal.recorded.brief.otherReviews {"count":7,"all":67}',
      'rehearsal.recorded.brief.hidden {"count":900}',
    ]);
    expect(briefOf(t, report('b', 67, true, { same: 66 }))).toEqual([
      'rehearsal.recorded.brief.other {"count":1,"all":67}',
    ]);
  });
});
