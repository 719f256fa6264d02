// The reviewers who are eligible for the selected reviews: queried for each review, a few
// concurrently, and counted by person.
import { useEffect, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import type { EligibleReviewersQuery } from './generated/graphql';
import { EligibleReviewers } from './reassign.graphql';

type Person = EligibleReviewersQuery['eligibleReviewers'][number];

/** A person, and the number of checked reviews they are eligible for. */
export interface Candidate {
  person: Person;
  eligibleFor: number;
}

/** Only the first reviews of a long selection are checked; the server checks each one anyway. */
const maxReviews = 40;
const concurrency = 5;

export interface Candidates {
  /** Sorted by eligibility, then by workload. */
  list: Candidate[];
  checked: number;
  done: boolean;
  error: CombinedError | null;
}

const noCandidates: Candidates = { list: [], checked: 0, done: false, error: null };

/** Adds the eligible people of one more review to the counts. */
export function withEligible(list: Candidate[], people: readonly Person[]): Candidate[] {
  const byId = new Map(list.map((candidate) => [candidate.person.id, candidate]));
  for (const person of people)
    byId.set(person.id, { person, eligibleFor: (byId.get(person.id)?.eligibleFor ?? 0) + 1 });
  return [...byId.values()].sort(
    (a, b) =>
      b.eligibleFor - a.eligibleFor ||
      (a.person.openReviews ?? 0) - (b.person.openReviews ?? 0) ||
      a.person.name.localeCompare(b.person.name),
  );
}

/** The candidates for the reviews; no query is sent while `ids` is empty. */
export function useEligible(ids: readonly string[]): Candidates {
  const client = useClient();
  const [candidates, setCandidates] = useState(noCandidates);
  const key = ids.slice(0, maxReviews).join(' ');
  useEffect(() => {
    let stopped = false;
    setCandidates(noCandidates);
    const remaining = key === '' ? [] : key.split(' ');
    const checkNext = async () => {
      for (let id = remaining.shift(); id !== undefined && !stopped; id = remaining.shift()) {
        const { data, error } = await client
          .query(EligibleReviewers, { reviewId: id }, { requestPolicy: 'network-only' })
          .toPromise();
        if (stopped) return;
        setCandidates((previous) => ({
          ...previous,
          list: withEligible(previous.list, data?.eligibleReviewers ?? []),
          checked: previous.checked + (data ? 1 : 0),
          error: previous.error ?? error ?? null,
        }));
      }
    };
    void Promise.all(Array.from({ length: concurrency }, checkNext)).then(() => {
      if (!stopped) setCandidates((previous) => ({ ...previous, done: true }));
    });
    return () => {
      stopped = true;
    };
  }, [client, key]);
  return candidates;
}
