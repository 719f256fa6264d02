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
