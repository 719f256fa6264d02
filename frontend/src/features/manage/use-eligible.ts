// Who could be given the chosen reviews: asked for each of them, a few at a time, and counted by person.
import { useEffect, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import type { EligibleQuery } from '../../graphql/generated/graphql';
import { Eligible } from './manage.graphql';

type Person = EligibleQuery['eligibleReviewers'][number];

/** A person and how many of the reviews that were asked about they may take. */
export interface Candidate {
  person: Person;
  eligibleFor: number;
}

/** Of a long choice the first ones are asked about; the server judges each in any case. */
const maxReviews = 40;
const concurrency = 5;

export interface Candidates {
  /** Most able first, then least loaded. */
  list: Candidate[];
  checked: number;
  done: boolean;
  error: CombinedError | null;
}

const noCandidates: Candidates = { list: [], checked: 0, done: false, error: null };

/** Counts the people of one more review in. */
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

/** The candidates for the reviews; nothing is asked while `ids` is empty. */
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
          .query(Eligible, { reviewId: id }, { requestPolicy: 'network-only' })
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
