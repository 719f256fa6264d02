// What a proposed limit or account would change for whom: read again each time it is shown.
import { useEffect } from 'react';
import { useQuery } from 'urql';
import type { ProposedEffectProps } from '../../ui/proposed-effect';
import { ProposedEffect as Query } from './authority.graphql';
import { PolicyEffect } from './PolicyEffect';

export function ProposedEffect({ proposalId, onRead }: ProposedEffectProps) {
  const [{ data, error, fetching, stale }] = useQuery({
    query: Query,
    variables: { proposalId },
    requestPolicy: 'network-only',
  });
  const read = !fetching && !stale;
  const effect = data?.proposedEffect ?? null;
  useEffect(() => {
    if (read) onRead(effect?.effect ?? null);
  }, [read, effect, onRead]);
  return <PolicyEffect preview={read ? effect : null} failed={read && error !== undefined} />;
}
