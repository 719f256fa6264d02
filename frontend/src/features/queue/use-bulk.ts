// Selects several reviews, claims or approves them, and undoes approvals.
import { useRef, useState } from 'react';
import { useCommand } from '../../graphql/command';
import {
  type BulkAction,
  batchesOf,
  maxChosen,
  type Outcome,
  outcomesOf,
  rowsFor,
  stillChosen,
} from './bulk';
import { ApproveReviews, ClaimReviews, UndoDecision } from './queue.graphql';
import type { Row, ShownRow } from './rows';

export function useBulk(shown: readonly ShownRow[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [progress, setProgress] = useState<{ done: number; count: number } | null>(null);
  const stopped = useRef(false);
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
  const chooseAll = (ids: readonly string[]) => setChosen(new Set(ids.slice(0, maxChosen)));
  const send = (action: BulkAction, part: readonly Row[], reason: string) => {
    const items = part.map(({ id, version }) => ({ reviewId: id, expectedVersion: version }));
    return action === 'claimed'
      ? claim.run({ items })
      : approve.run({ items, reason: reason || null });
  };
  /** Runs the command in parts and shows the results of each. True if the first response arrived. */
  const run = async (action: BulkAction, reason: string): Promise<boolean> => {
    const changed = rowsFor(action, rows);
    const results: Outcome[] = [];
    stopped.current = false;
    for (const part of batchesOf(changed)) {
      if (stopped.current) break;
      setProgress({ done: results.length, count: changed.length });
      const payload = await send(action, part, reason);
      // Without a response, the following parts are not sent and stay selected.
      if (!payload) break;
      const outcomes = outcomesOf(part, action, payload.results, payload.userErrors);
      results.push(...outcomes);
      setOutcomes([...results]);
      // Claimed, refused and left out reviews stay selected for the next command.
      const approved = outcomes.flatMap(({ id, done }) => (done === 'approved' ? [id] : []));
      setChosen((before) => new Set([...before].filter((id) => !approved.includes(id))));
    }
    setProgress(null);
    return results.length > 0;
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
    chooseAll,
    progress,
    stop: () => {
      stopped.current = true;
    },
    clear: () => setChosen(new Set()),
    run,
    undoDecision,
    outcomes,
    dismiss: () => {
      setOutcomes([]);
      undo.clear();
    },
    busy: progress !== null,
    undoing: undo.busy,
    refusals: [...claim.refusals, ...approve.refusals, ...undo.refusals],
    error: claim.error ?? approve.error ?? undo.error,
  };
}

export type Bulk = ReturnType<typeof useBulk>;
