// The deadline of a review that acts first. A review has up to three: an unclaimed one must be claimed, and
// every one decided, by a time; and the time limit of its step can end it undecided.

interface Deadlines {
  status: string;
  claimBy: string | null;
  decideBy: string | null;
  endsAt?: string | null | undefined;
}

export interface Deadline {
  /** What must be done until then, or that the step ends. */
  kind: 'claim' | 'decide' | 'end';
  iso: string;
}

/** The deadlines of the next step of a case, if it is a review; a submitter sees none of them. */
export function reviewOfStep(
  step: {
    kind: string;
    claimBy?: string | null | undefined;
    decideBy?: string | null | undefined;
  },
  endsAt?: string | null,
): Deadlines | null {
  if (!step.claimBy && !step.decideBy && !endsAt) return null;
  const status = step.kind === 'REVIEW_CLAIMED' ? 'CLAIMED' : 'OPEN';
  const { claimBy = null, decideBy = null } = step;
  return { status, claimBy, decideBy, ...(endsAt && { endsAt }) };
}

/** The deadline after the next one; null if there is none. */
export function laterDeadline(review: Deadlines, now: number): Deadline | null {
  const next = nextDeadline(review, now);
  if (next?.kind === 'claim') return lastDeadline(review);
  return next?.kind === 'decide' && review.endsAt ? { kind: 'end', iso: review.endsAt } : null;
}

/**
 * The next deadline that has not passed; if all have, the one to decide or the end of the step. The claim
 * deadline acts only while the review is not claimed.
 */
export function nextDeadline(review: Deadlines, now: number): Deadline | null {
  const { status, claimBy } = review;
  const claim: Deadline | null =
    status === 'OPEN' && claimBy !== null ? { kind: 'claim', iso: claimBy } : null;
  const last = lastDeadline(review);
  if (!claim || !last) return last ?? claim;
  const claimAt = Date.parse(claim.iso);
  return claimAt > now && claimAt < Date.parse(last.iso) ? claim : last;
}

/** The deadline to decide, or the end of the step if it comes before. */
function lastDeadline({ decideBy, endsAt }: Deadlines): Deadline | null {
  const ends = endsAt && (decideBy === null || Date.parse(endsAt) <= Date.parse(decideBy));
  if (ends) return { kind: 'end', iso: endsAt };
  return decideBy === null ? null : { kind: 'decide', iso: decideBy };
}
