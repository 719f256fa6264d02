// Transitions that several states of the review machine have.

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
  SERVER_STATE: { actions: 'applyServerState' },
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
