import { describe, expect, it } from 'vitest';
import { type Change, emptyBoard, type Review, rowsOf, withAll, withChange } from './board';

const review = (id: string, version = '1.0'): Review =>
  ({
    id,
    version,
    status: 'OPEN',
    case: { id: `case-${id}`, updatedAt: '2026-11-21T10:00:00Z' },
  }) as Review;

const change = (of: Partial<Change>): Change => ({
  __typename: 'ReviewQueueChange',
  snapshot: false,
  upserted: [],
  removedReviews: [],
  removed: [],
  order: [],
  totalCount: of.order?.length ?? 0,
  ...of,
});

const initial = withChange(
  emptyBoard,
  change({
    snapshot: true,
    upserted: [review('a'), review('b')],
    order: ['a', 'b'],
    totalCount: 3,
  }),
);

const ids = (rows: Review[]) => rows.map((row) => row.id);

describe('the board', () => {
  it('shows the server’s order, then the loaded rows', () => {
    const board = withAll(initial, [review('a'), review('b'), review('c')]);
    expect(ids(rowsOf(board))).toEqual(['a', 'b', 'c']);
    const moved = withChange(
      board,
      change({ upserted: [review('c', '2.0')], order: ['c', 'a', 'b'] }),
    );
    expect(ids(rowsOf(moved))).toEqual(['c', 'a', 'b']);
    expect(rowsOf(moved)[0]?.version).toBe('2.0');
  });

  it('keeps a departed row in its last state until it returns', () => {
    const decided = { ...review('a', '2.0'), status: 'DECIDED' } as Review;
    const board = withChange(
      initial,
      change({ removed: ['a'], removedReviews: [decided], order: ['b'] }),
    );
    expect(ids(rowsOf(board))).toEqual(['b']);
    expect(board.departed.get('a')?.status).toBe('DECIDED');
    const back = withChange(board, change({ upserted: [review('a', '3.0')], order: ['a', 'b'] }));
    expect(back.departed.size).toBe(0);
  });

  it('keeps the known row or case if the received one was outdated', () => {
    const bare = { id: 'a' } as Review;
    const overtaken = { ...review('b', '2.0'), case: { id: 'case-b' } } as Review;
    const board = withChange(
      initial,
      change({ snapshot: true, upserted: [bare, overtaken], order: ['a', 'b'] }),
    );
    expect(rowsOf(board)).toEqual([review('a'), { ...review('b', '2.0') }]);
  });

  it('starts over with a snapshot', () => {
    const board = withChange(
      initial,
      change({ snapshot: true, upserted: [review('d')], order: ['d'] }),
    );
    expect(ids(rowsOf(board))).toEqual(['d']);
  });
});
