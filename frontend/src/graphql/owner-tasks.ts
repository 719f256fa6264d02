// What waits for the user as an owner of processes. The menu and the pages share one query.
import { useEffect } from 'react';
import { useQuery } from 'urql';
import { useSignedIn } from '../lib/session';
import { OwnerTasks } from './owner-tasks.graphql';

/**
 * The tasks. They are read again when the number of unread notices changes, because an owner receives a notice of
 * each proposal.
 */
export function useOwnerTasks(unread?: number) {
  const signedIn = useSignedIn();
  const [{ data, error }, refetch] = useQuery({ query: OwnerTasks, pause: !signedIn });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the number of notices changes
  useEffect(() => {
    if (unread !== undefined && signedIn) refetch({ requestPolicy: 'network-only' });
  }, [unread]);
  return {
    tasks: data?.ownerTasks ?? null,
    error,
    reload: () => refetch({ requestPolicy: 'network-only' }),
  };
}
