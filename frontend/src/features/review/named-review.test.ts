import { expect, test } from 'vitest';
import { namedReview } from './named-review';

const review = (id: string, status: 'OPEN' | 'CLAIMED' | 'DECIDED', assignee: string | null) => ({
  id,
  status,
  assignee: assignee === null ? null : { id: assignee },
});

test('a reference names the review that the user works on, then one that waits, then the last', () => {
  const decided = review('a', 'DECIDED', 'me');
  const others = review('b', 'CLAIMED', 'other');
  const open = review('c', 'OPEN', null);
  const assigned = review('d', 'OPEN', 'me');
  const mine = review('e', 'CLAIMED', 'me');
  for (const [reviews, id] of [
    [[decided, others, open, assigned, mine], 'e'],
    [[decided, others, open, assigned], 'd'],
    [[decided, others, open], 'c'],
    [[decided, others], 'b'],
    [[decided], 'a'],
    [[], null],
  ] as const)
    expect(namedReview(reviews, 'me')).toBe(id);
});
