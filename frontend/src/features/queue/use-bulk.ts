// Choosing several reviews, claiming or approving them, and taking approvals back.
import { useState } from 'react';
import { useCommand } from '../../graphql/command';
import { type Deed, type Outcome, outcomesOf, stillChosen } from './bulk';
import { ApproveMany, ClaimMany, TakeBack } from './queue.graphql';
import type { ShownRow } from './rows';

export function useBulk(shown: readonly ShownRow[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const claim = useCommand(ClaimMany, (data) => data.claimReviews);
  const approve = useCommand(ApproveMany, (data) => data.approveReviews);
  const undo = useCommand(TakeBack, (data) => data.undoDecision);
  const rows = stillChosen(shown, chosen);
  const choose = (id: string, on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  /** True when an answer came. */
  const run = async (deed: Deed, reason: string): Promise<boolean> => {
    const items = rows.map(({ id, version }) => ({ reviewId: id, expectedVersion: version }));
    const payload =
      deed === 'claimed'
        ? await claim.run({ items })
        : await approve.run({ items, reason: reason || null });
    if (!payload) return false;
    const told = outcomesOf(rows, deed, payload.results, payload.userErrors);
    setOutcomes(told);
    // What was refused stays chosen.
    setChosen(new Set(told.flatMap(({ id, done }) => (done ? [] : [id]))));
    return true;
  };
  const takeBack = async (id: string) => {
    const done = await undo.run({ reviewId: id });
    if (!done) return;
    setOutcomes((was) =>
      was.map((one) => (one.id === id ? { ...one, done: 'takenBack', undoUntil: null } : one)),
    );
  };
  return {
    chosen,
    rows,
    choose,
    clear: () => setChosen(new Set()),
    run,
    takeBack,
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
