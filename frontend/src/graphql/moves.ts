// What a migration would do to running cases, read one page after the other.
import { type CombinedError, useClient } from 'urql';
import type { MigrationMovesFragment, MigrationPlanInput } from './generated/graphql';
import { PreviewMigration, PreviewProposedMigration } from './moves.graphql';

/** A plan that is being written, or a proposal that waits for its second person. */
export type Previewed = { plan: MigrationPlanInput } | { proposalId: string };

interface ReadMoves {
  page: MigrationMovesFragment | undefined;
  error: CombinedError | undefined;
}

/** Returns a function that reads the page after a cursor, null for the first one. */
export function useMoves(previewed: Previewed): (after: string | null) => Promise<ReadMoves> {
  const client = useClient();
  return async (after) => {
    const now = { requestPolicy: 'network-only' } as const;
    if ('plan' in previewed) {
      const { data, error } = await client
        .query(PreviewMigration, { plan: previewed.plan, after }, now)
        .toPromise();
      return { page: data?.previewMigration, error };
    }
    const { data, error } = await client
      .query(PreviewProposedMigration, { id: previewed.proposalId, after }, now)
      .toPromise();
    return { page: data?.previewProposedMigration, error };
  };
}
