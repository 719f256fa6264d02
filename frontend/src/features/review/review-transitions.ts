// Transitions that several states of the review machine share, and what its actions compute.
import type { ReviewContext as Context } from './review-context';
import {
  changedParts,
  isOutdated,
  type ReviewPart,
  reviewParts,
  type ServerState,
  sameFacts,
} from './review-values';

/** The parts that have changed, with those that the user has not acknowledged yet. */
export function movedParts(context: Context, after: ServerState): readonly ReviewPart[] {
  const now = changedParts(context.serverState, after);
  return reviewParts.filter((part) => now.includes(part) || context.moved?.includes(part));
}

/** What a state that arrives while a decision is confirmed or a command is sent has changed. */
export function movedDuring(context: Context, after: ServerState): Partial<Context> {
  const before = context.serverState;
  if (isOutdated(after, before)) return {};
  const same = sameFacts(before, after) && changedParts(before, after).length === 0;
  return same ? {} : { moved: movedParts(context, after) };
}

/** What was typed and not sent when the review ends elsewhere. */
export function unsentOf({ outcome, reason, typed }: Context): Partial<Context> {
  const empty = reason.trim() === '' && Object.keys(typed).length === 0;
  return outcome !== null || empty ? {} : { unsent: { reason: reason.trim(), typed } };
}

export function withReviewed(context: Context, name: string): Readonly<Record<string, string>> {
  return { ...context.reviewedValues, [name]: context.serverState.values[name] ?? '' };
}

/** A new server state can end the claim. */
export const claimEnds = [
  { guard: 'decided', target: '#review.done' },
  { guard: 'cancelled', target: '#review.closed' },
  { guard: 'notMine', target: '#review.lost' },
] as const;

/** The input events that are permitted while the review is held. */
export const typing = {
  TYPE: { actions: 'typeValue' },
  UNDO: { actions: 'undoValue' },
  WRITE_REASON: { actions: 'writeReason' },
  RESTORE: { actions: 'restoreDraft' },
} as const;

/** How a command can end other than by success. */
export const commandAnswers = {
  // The answer that refuses a command can bring the present state before the refusal itself.
  SERVER_STATE: { actions: ['rememberMoved', 'applyServerState'] },
  STALE: { target: '#review.mine.conflict', actions: 'awaitServerState' },
  LOST: { target: '#review.lost', actions: 'loseClaim' },
  REFUSED: { target: '#review.mine', actions: 'showProblem' },
  FAILED: { target: '#review.mine', actions: 'showProblem' },
} as const;

/** A review that has ended is open again once another person has undone its decision. */
export const afterTheEnd = {
  SERVER_STATE: [
    { guard: 'undone', target: '#review.viewing', actions: ['applyServerState', 'startAgain'] },
    { actions: 'applyServerState' },
  ],
} as const;

export type ReviewState =
  | 'viewing'
  | 'claiming'
  | 'mine'
  | 'saving'
  | 'deciding'
  | 'passingOn'
  | 'releasing'
  | 'lost'
  | 'done'
  | 'closed';
