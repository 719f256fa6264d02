// The number of proposals that the user can publish or confirm as an administrator.
import { useEffect } from 'react';
import { useQuery } from 'urql';
import { hasRole, usePerson, useSignedIn } from '../lib/session';
import type { OpenProposalsQuery } from './generated/graphql';
import { OpenProposals } from './to-publish.graphql';

/** A kind of published text, or a change of control data. */
export type ProposedKind = OpenProposalsQuery['proposals']['nodes'][number]['kind'] | 'CONTROL';

/** Counts the proposals of other people by kind. */
export function countToPublish(
  { proposals, controlChanges }: OpenProposalsQuery,
  me: string,
): Map<ProposedKind, number> {
  const counts = new Map<ProposedKind, number>();
  const count = (kind: ProposedKind, proposer: string | undefined) => {
    if (proposer !== me) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  };
  for (const { kind, proposedBy } of proposals.nodes) count(kind, proposedBy?.id);
  for (const { proposedBy } of controlChanges.nodes) count('CONTROL', proposedBy?.id);
  return counts;
}

/** The counts, read again on every page and when the number of unread notices changes. */
export function useToPublish(place: string, unread?: number): ReadonlyMap<ProposedKind, number> {
  const person = usePerson();
  const pause = !useSignedIn() || !hasRole(person, 'administrator');
  const [{ data }, refetch] = useQuery({ query: OpenProposals, pause });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what a page did or a notice says changes the counts
  useEffect(() => {
    if (!pause) refetch({ requestPolicy: 'network-only' });
  }, [place, unread]);
  return data && person ? countToPublish(data, person.id) : new Map();
}
