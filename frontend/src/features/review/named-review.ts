// Which review the address /reviews/CS-2026-000007 names. A case can have several, which have no numbers: those of the
// hidden ones would be missing, and so say that there are hidden ones.

interface NamedReview {
  id: string;
  status: string;
  assignee: { id: string } | null;
}

/** The review that the user works on, then one that waits, then one of others, then the last decided one. */
export function namedReview(reviews: readonly NamedReview[], me: string | null): string | null {
  const rank = ({ status, assignee }: NamedReview) => {
    const mine = assignee !== null && assignee.id === me;
    if (status === 'CLAIMED') return mine ? 4 : 1;
    if (status === 'OPEN') return mine ? 3 : 2;
    return 0;
  };
  let best: NamedReview | null = null;
  for (const review of reviews) if (!best || rank(review) >= rank(best)) best = review;
  return best?.id ?? null;
}
