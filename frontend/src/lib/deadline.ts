// The deadline of a review that acts first. A review has two: an unclaimed one must be claimed, and
// every one decided, by a time.

interface Deadlines {
  status: string;
  claimBy: string | null;
  decideBy: string | null;
}

export interface Deadline {
  /** What must be done until then. */
  kind: 'claim' | 'decide';
  iso: string;
}

/** The deadlines of the next step of a case, if it is a review; a submitter sees none of them. */
export function reviewOfStep(step: {
  kind: string;
  claimBy?: string | null | undefined;
  decideBy?: string | null | undefined;
}): Deadlines | null {
  if (!step.claimBy && !step.decideBy) return null;
  const status = step.kind === 'REVIEW_CLAIMED' ? 'CLAIMED' : 'OPEN';
  return { status, claimBy: step.claimBy ?? null, decideBy: step.decideBy ?? null };
}

/** The deadline after the next one, which acts only if the next one is met; null if there is none. */
export function laterDeadline(review: Deadlines, now: number): Deadline | null {
  const next = nextDeadline(review, now);
  return next?.kind === 'claim' && review.decideBy !== null
    ? { kind: 'decide', iso: review.decideBy }
    : null;
}

/**
 * The next deadline that has not passed; if all have, the one to decide. The claim deadline acts only
 * while the review is not claimed.
 */
export function nextDeadline(
  { status, claimBy, decideBy }: Deadlines,
  now: number,
): Deadline | null {
  const claim: Deadline | null =
    status === 'OPEN' && claimBy !== null ? { kind: 'claim', iso: claimBy } : null;
  const decide: Deadline | null = decideBy === null ? null : { kind: 'decide', iso: decideBy };
  if (!claim || !decide) return decide ?? claim;
  const claimAt = Date.parse(claim.iso);
  return claimAt > now && claimAt < Date.parse(decide.iso) ? claim : decide;
}
