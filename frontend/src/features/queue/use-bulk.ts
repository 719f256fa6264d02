// Selects several reviews, claims or approves them, and undoes approvals.
import { useState } from 'react';
import { useCommand } from '../../graphql/command';
import { type BulkAction, type Outcome, outcomesOf, rowsFor, stillChosen } from './bulk';
import { ApproveReviews, ClaimReviews, UndoDecision } from './queue.graphql';
import type { ShownRow } from './rows';

export function useBulk(shown: readonly ShownRow[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const claim = useCommand(ClaimReviews, (data) => data.claimReviews);
  const approve = useCommand(ApproveReviews, (data) => data.approveReviews);
  const undo = useCommand(UndoDecision, (data) => data.undoDecision);
  const rows = stillChosen(shown, chosen);
  const choose = (id: string, on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  /** True if a response arrived. */
  const run = async (action: BulkAction, reason: string): Promise<boolean> => {
    const changed = rowsFor(action, rows);
    const items = changed.map(({ id, version }) => ({ reviewId: id, expectedVersion: version }));
    const payload =
      action === 'claimed'
        ? await claim.run({ items })
        : await approve.run({ items, reason: reason || null });
    if (!payload) return false;
    const results = outcomesOf(changed, action, payload.results, payload.userErrors);
    setOutcomes(results);
    // Claimed, refused and left out reviews stay selected for the next command.
    const approved = new Set(results.flatMap(({ id, done }) => (done === 'approved' ? [id] : [])));
    setChosen(new Set([...chosen].filter((id) => !approved.has(id))));
    return true;
  };
  const undoDecision = async (id: string) => {
    const payload = await undo.run({ reviewId: id });
    if (!payload) return;
    setOutcomes((previous) =>
      previous.map((one) => (one.id === id ? { ...one, done: 'takenBack', undoUntil: null } : one)),
    );
  };
  return {
    chosen,
    rows,
    claimable: rowsFor('claimed', rows).length,
    approvable: rowsFor('approved', rows).length,
    choose,
    clear: () => setChosen(new Set()),
    run,
    undoDecision,
    outcomes,
    dismiss: () => {
      setOutcomes([]);
      undo.clear();
    },
    busy: claim.busy || approve.busy,
    undoing: undo.busy,
    refusals: [...claim.refusals, ...approve.refusals, ...undo.refusals],
    error: claim.error ?? approve.error ?? undo.error,
  };
}

export type Bulk = ReturnType<typeof useBulk>;
