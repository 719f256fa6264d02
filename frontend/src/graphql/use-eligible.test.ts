import { describe, expect, it } from 'vitest';
import { type Candidate, withEligible } from './use-eligible';

const person = (name: string, openReviews: number) =>
  ({ id: name, name, openReviews }) as Candidate['person'];
const [jun, sven, ada] = [person('Jun', 3), person('Sven', 1), person('Ada', 3)];

describe('candidates', () => {
  it('are sorted by eligibility, workload and name', () => {
    const once = withEligible([], [jun, sven, ada]);
    expect(once.map(({ person: { name } }) => name)).toEqual(['Sven', 'Ada', 'Jun']);
    const twice = withEligible(once, [jun]);
    expect(twice.map(({ person: { name }, eligibleFor: may }) => [name, may])).toEqual([
      ['Jun', 2],
      ['Sven', 1],
      ['Ada', 1],
    ]);
  });
});
