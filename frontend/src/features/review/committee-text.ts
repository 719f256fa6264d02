// What a committee does when the time limit of its step ends.

/** The key of the text. By a count of approvals, or if one rejection rejects, votes cast never decide at the end. */
export function endsText(decideBy: string) {
  if (decideBy === 'majority') return 'review.committee.endsMajority';
  return decideBy === 'unanimous' ? 'review.committee.endsUnanimous' : 'review.committee.endsCount';
}
