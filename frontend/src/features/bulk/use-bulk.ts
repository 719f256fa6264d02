// Sends the commands on selected reviews in parts, and undoes approvals.
import { useEffect, useRef, useState } from 'react';
import { useCommand } from '../../graphql/command';
import { whenConnected } from '../../graphql/connection';
import type { Refusal } from '../../lib/refusals';
import {
  ApproveReviews,
  ClaimReviews,
  ReassignSelected,
  ReleaseReviews,
  UndoDecision,
} from './bulk.graphql';
import { batchesOf, type Line, type Outcome, outcomesOf } from './outcomes';
import type { Action, Target } from './plan';

/** A command and what it needs. `to`: the new assignee; null is the least-loaded eligible reviewer. */
export interface Request {
  action: Action;
  reason: string;
  to: string | null;
}

/** A part is sent once more by `run`, and what follows it after that. */
const once = { resends: false };

/**
 * `onDone` is called after each part with the cases of its reviews, and with those it has changed. `selected`
 * are the ids of the cases that the user has selected; a case that leaves the list stays selected.
 */
export function useBulk(
  selected: ReadonlySet<string>,
  onDone: (sent: string[], changed: string[], action: Action) => void,
) {
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [progress, setProgress] = useState<{ done: number; count: number } | null>(null);
  const stopped = useRef(false);
  const latest = useRef(selected);
  latest.current = selected;
  const connection = useReconnect();
  const rounds = useRef(0);
  const claim = useCommand(ClaimReviews, (data) => data.claimReviews, once);
  const release = useCommand(ReleaseReviews, (data) => data.releaseReviews, once);
  const approve = useCommand(ApproveReviews, (data) => data.approveReviews, once);
  const reassign = useCommand(ReassignSelected, (data) => data.reassignReviews, once);
  const undo = useCommand(UndoDecision, (data) => data.undoDecision);
  const commands = { claim, release, approve, reassign };
  const send = (
    { action, reason, to }: Request,
    part: readonly Target[],
  ): Promise<{ results: readonly Line[]; userErrors: readonly Refusal[] } | null> => {
    const items = part.map(({ review }) => ({
      reviewId: review.id,
      expectedVersion: review.version,
    }));
    if (action === 'claim') return claim.run({ items });
    if (action === 'release') return release.run({ items });
    if (action === 'approve') return approve.run({ items, reason: reason || null });
    return reassign.run({
      reviewIds: items.map((one) => one.reviewId),
      expectedVersions: items.map((one) => one.expectedVersion),
      to,
      reason,
    });
  };
  /** Runs the command in parts and shows the results of each. True if the first response arrived. */
  const run = async (request: Request, targets: readonly Target[]): Promise<boolean> => {
    const results: Outcome[] = [];
    stopped.current = false;
    connection.cancel();
    const round = ++rounds.current;
    for (const part of batchesOf(targets)) {
      if (stopped.current) break;
      setProgress({ done: results.length, count: targets.length });
      let payload = await send(request, part);
      if (!payload && commands[request.action].lost()) {
        setProgress(null);
        // A part is sent once more, with its key, if its cases are still selected.
        if (!(await connection.back()) || !isSelected(part, latest.current)) break;
        setProgress({ done: results.length, count: targets.length });
        payload = await send(request, part);
      }
      // Without a response, the following parts are not sent and stay selected.
      if (!payload) break;
      const outcomes = outcomesOf(part, request.action, payload.results, payload.userErrors);
      results.push(...outcomes);
      setOutcomes([...results]);
      const changed = outcomes.flatMap(({ caseId, done }) => (done ? [caseId] : []));
      onDone(
        part.map(({ caseId }) => caseId),
        changed,
        request.action,
      );
    }
    // A command that was replaced while it waited leaves the progress of the next one.
    if (round === rounds.current) setProgress(null);
    return results.length > 0;
  };
  const undoDecision = async (id: string) => {
    const payload = await undo.run({ reviewId: id });
    if (!payload) return;
    setOutcomes((previous) =>
      previous.map((one) => (one.id === id ? { ...one, done: 'undone', undoUntil: null } : one)),
    );
  };
  const refusals = [claim, release, approve, reassign, undo].flatMap((one) => one.refusals);
  const error = claim.error ?? release.error ?? approve.error ?? reassign.error ?? undo.error;
  return {
    progress,
    stop: () => {
      stopped.current = true;
    },
    /** Sends nothing when the connection is back, and hides why the last command failed. */
    cancel: () => {
      connection.cancel();
      for (const command of Object.values(commands)) command.clear();
    },
    run,
    undoDecision,
    outcomes,
    dismiss: () => {
      setOutcomes([]);
      undo.clear();
    },
    busy: progress !== null,
    undoing: undo.busy,
    refusals,
    error,
    failed: error !== null || refusals.length > 0,
  };
}

function isSelected(part: readonly Target[], selected: ReadonlySet<string>): boolean {
  return part.every(({ caseId }) => selected.has(caseId));
}

/** Waits for the connection. */
function useReconnect() {
  const cancelWait = useRef<() => void>(() => {});
  useEffect(() => () => cancelWait.current(), []);
  return {
    /** True when the connection is back, false if that was cancelled. */
    back: () =>
      new Promise<boolean>((settle) => {
        const stop = whenConnected(() => settle(true));
        cancelWait.current = () => {
          stop();
          settle(false);
        };
      }),
    cancel: () => cancelWait.current(),
  };
}

export type Bulk = ReturnType<typeof useBulk>;
