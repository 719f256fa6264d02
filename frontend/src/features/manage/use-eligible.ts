// Who could be given the chosen reviews: asked for each of them, a few at a time, and counted by person.
import { useEffect, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import type { EligibleQuery } from '../../graphql/generated/graphql';
import { Eligible } from './manage.graphql';

type Person = EligibleQuery['eligibleReviewers'][number];

/** A person and how many of the reviews that were asked about they may take. */
export interface Candidate {
  person: Person;
  may: number;
}

/** Of a long choice the first ones are asked about; the server judges each in any case. */
const most = 40;
const atOnce = 5;

export interface Candidates {
  /** Most able first, then least loaded. */
  list: Candidate[];
  asked: number;
  done: boolean;
  error: CombinedError | null;
}

const nobody: Candidates = { list: [], asked: 0, done: false, error: null };

/** Counts the people of one more review in. */
export function counted(list: Candidate[], people: readonly Person[]): Candidate[] {
  const byId = new Map(list.map((candidate) => [candidate.person.id, candidate]));
  for (const person of people)
    byId.set(person.id, { person, may: (byId.get(person.id)?.may ?? 0) + 1 });
  return [...byId.values()].sort(
    (a, b) =>
      b.may - a.may ||
      (a.person.openReviews ?? 0) - (b.person.openReviews ?? 0) ||
      a.person.name.localeCompare(b.person.name),
  );
}

/** The candidates for the reviews; nothing is asked while `ids` is empty. */
export function useEligible(ids: readonly string[]): Candidates {
  const client = useClient();
  const [found, setFound] = useState(nobody);
  const key = ids.slice(0, most).join(' ');
  useEffect(() => {
    let stopped = false;
    setFound(nobody);
    const waiting = key === '' ? [] : key.split(' ');
    const asking = async () => {
      for (let id = waiting.shift(); id !== undefined && !stopped; id = waiting.shift()) {
        const { data, error } = await client
          .query(Eligible, { reviewId: id }, { requestPolicy: 'network-only' })
          .toPromise();
        if (stopped) return;
        setFound((was) => ({
          ...was,
          list: counted(was.list, data?.eligibleReviewers ?? []),
          asked: was.asked + (data ? 1 : 0),
          error: was.error ?? error ?? null,
        }));
      }
    };
    void Promise.all(Array.from({ length: atOnce }, asking)).then(() => {
      if (!stopped) setFound((was) => ({ ...was, done: true }));
    });
    return () => {
      stopped = true;
    };
  }, [client, key]);
  return found;
}
