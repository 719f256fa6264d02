import { describe, expect, it } from 'vitest';
import {
  applyChange,
  emptyRows,
  hasMore,
  type QueueChange,
  type Row,
  shownRows,
  withMore,
  withoutRow,
} from './rows';

const row = (id: string, version = '1.1') =>
  ({ __typename: 'Review', id, version, status: 'OPEN' }) as Row;
const left = (id: string, name: string) =>
  ({
    __typename: 'Review',
    id,
    version: '2.1',
    status: 'CLAIMED',
    assignee: { __typename: 'Person', id: name, name },
  }) as const;

function change(parts: Partial<QueueChange>): QueueChange {
  const empty = {
    __typename: 'ReviewQueueChange',
    snapshot: false,
    upserted: [],
    removedReviews: [],
    removed: [],
    order: [],
    totalCount: 0,
    decidableCount: 0,
  };
  return { ...empty, ...parts } as QueueChange;
}

const first = applyChange(
  emptyRows,
  change({
    snapshot: true,
    upserted: ['a', 'b', 'c'].map((id) => row(id)),
    order: ['a', 'b', 'c'],
    totalCount: 3,
  }),
);
const claimed = change({
  removed: ['b'],
  removedReviews: [left('b', 'Jun')],
  order: ['a', 'c'],
  totalCount: 2,
});
const summary = (rows: typeof first) =>
  shownRows(rows).map((shown) =>
    shown.left ? `${shown.row.id}:${shown.left.assignee?.name}` : shown.row.id,
  );

describe('the rows of the queue', () => {
  it('keeps the known row where the cache returns null or the id alone', () => {
    const upserted = [null, { id: 'b' }, row('c', '2.1')] as unknown as Row[];
    const frame = { upserted, order: ['a', 'b', 'c', 'x'], totalCount: 4 };
    for (const snapshot of [true, false]) {
      const after = applyChange(first, change({ ...frame, snapshot }));
      expect(summary(after)).toEqual(['a', 'b', 'c']);
      expect(after.byId.get('c')?.version).toBe('2.1');
    }
    expect(
      summary(applyChange(first, change({ upserted: [null as never], removed: ['a'] }))),
    ).toEqual([]);
  });

  it('shows the list in its order', () => {
    expect(summary(first)).toEqual(['a', 'b', 'c']);
    expect(first).toMatchObject({ ready: true, total: 3 });
  });

  it('keeps a claimed row in place until it is removed', () => {
    const after = applyChange(first, claimed);
    expect(summary(after)).toEqual(['a', 'b:Jun', 'c']);
    expect(after.total).toBe(2);
    expect(summary(withoutRow(after, 'b'))).toEqual(['a', 'c']);
  });

  it('keeps it while other rows change', () => {
    const more = change({
      upserted: [row('d')],
      removed: ['a'],
      removedReviews: [left('a', 'Ann')],
      order: ['d', 'c'],
      totalCount: 2,
    });
    expect(summary(applyChange(applyChange(first, claimed), more))).toEqual([
      'a:Ann',
      'b:Jun',
      'd',
      'c',
    ]);
  });

  it('shows it again when it returns', () => {
    const back = change({ upserted: [row('b', '3.1')], order: ['a', 'b', 'c'], totalCount: 3 });
    expect(summary(applyChange(applyChange(first, claimed), back))).toEqual(['a', 'b', 'c']);
  });

  it('removes a row that the user may not know about', () => {
    expect(summary(applyChange(first, change({ removed: ['b'], order: ['a', 'c'] })))).toEqual([
      'a',
      'c',
    ]);
  });

  it('starts over with a snapshot', () => {
    const snapshot = change({ snapshot: true, upserted: [row('z')], order: ['z'], totalCount: 1 });
    expect(summary(applyChange(first, snapshot))).toEqual(['z']);
  });

  it('keeps the known row if the frame was outdated', () => {
    const overtaken = { __typename: 'Review', id: 'b' } as unknown as Row;
    const after = applyChange(first, change({ upserted: [overtaken], order: ['b', 'a', 'c'] }));
    expect(summary(after)).toEqual(['b', 'a', 'c']);
    expect(after.byId.get('b')?.version).toBe('1.1');
  });

  it('has more rows until the last page is read, whatever the bounded count says', () => {
    expect(hasMore(emptyRows)).toBe(false);
    expect(hasMore(first)).toBe(false);
    const counted = applyChange(first, change({ order: ['a', 'b', 'c'], totalCount: 4 }));
    expect(hasMore(counted)).toBe(true);
    const beyond = withMore(counted, [row('d'), row('e')], false);
    expect(hasMore(beyond)).toBe(true);
    expect(hasMore(withMore(beyond, [row('f')], true))).toBe(false);
  });

  it('appends more rows without duplicates', () => {
    const more = withMore(withMore(first, [row('c'), row('d')], false), [row('d'), row('e')], true);
    expect(summary(more)).toEqual(['a', 'b', 'c', 'd', 'e']);
    const risen = change({ upserted: [row('d')], order: ['d', 'a', 'b', 'c'] });
    expect(summary(applyChange(more, risen))).toEqual(['d', 'a', 'b', 'c', 'e']);
  });
});

describe('the seats of a committee', () => {
  const committee = { decideBy: 'count', seats: 5, quorum: 3, cast: 1, approvals: null };
  const seat = (id: string, more: Partial<Row> = {}) =>
    ({
      ...row(id),
      case: { id: 'case' },
      node: 'vote',
      queue: 'L2',
      level: 2,
      committee,
      ...more,
    }) as Row;
  const shown = (...rows: Row[]) =>
    shownRows(
      applyChange(
        emptyRows,
        change({ snapshot: true, upserted: rows, order: rows.map(({ id }) => id) }),
      ),
    ).map((one) => one.row.id);
  const me = { __typename: 'Person', id: 'me', name: 'Me' } as const;

  it('are one row', () => {
    expect(shown(seat('a'), seat('b'), seat('c'))).toEqual(['a']);
  });
  it('are the row of the seat that the person has', () => {
    expect(shown(seat('a'), seat('b', { assignee: me }), seat('c'))).toEqual(['b']);
    expect(
      shown(seat('a', { assignee: me }), seat('b'), seat('c', { status: 'CLAIMED', assignee: me })),
    ).toEqual(['c']);
  });
  it('are rows of their own in another role, step or case, and so are claimed ones', () => {
    const others = [
      seat('a'),
      seat('veto', { level: 3 }),
      seat('step', { node: 'other' }),
      seat('case', { case: { id: 'another' } as Row['case'] }),
    ];
    expect(shown(...others)).toEqual(['a', 'veto', 'step', 'case']);
    const claimed = { status: 'CLAIMED', assignee: me } as const;
    expect(shown(seat('a', claimed), seat('b', claimed))).toEqual(['a', 'b']);
  });
  it('do not leave the list if they were not shown', () => {
    const before = applyChange(
      emptyRows,
      change({ snapshot: true, upserted: [seat('a'), seat('b')], order: ['a', 'b'] }),
    );
    const after = applyChange(
      before,
      change({ removed: ['b'], removedReviews: [left('b', 'Jun')], order: ['a'] }),
    );
    expect(shownRows(after)).toHaveLength(1);
  });
  it('of a single review stay apart', () => {
    expect(shown(seat('a', { committee: null }), seat('b', { committee: null }))).toEqual([
      'a',
      'b',
    ]);
  });
});
