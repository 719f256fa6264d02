// Proposals that need the approval of owners of processes.

interface OwnerProgress {
  approved: number;
  required: number;
  rejected: boolean;
  withoutFrom: string;
}

/** Whether owners did not decide about the proposal in time, so that it can be published without them. */
export const overdueOwners = (
  { ownerReviews }: { ownerReviews: readonly OwnerProgress[] },
  now: number,
) => {
  const missing = ownerReviews.filter(({ approved, required }) => approved < required);
  return (
    missing.length > 0 &&
    missing.every(({ rejected, withoutFrom }) => !rejected && Date.parse(withoutFrom) <= now)
  );
};
