// The forecasts of queues, together.

/** How far the board looks ahead, in hours; as the document Outlook asks. */
export const horizons = [4, 24, 48] as const;

interface Expected {
  overdue: number;
  forecast: { breaches: readonly { count: number }[] } | null;
}

/** What is overdue now, and what will be by each span, those of now included. */
export function totalsOf(queues: readonly Expected[]): { overdue: number; byHorizon: number[] } {
  const overdue = queues.reduce((sum, queue) => sum + queue.overdue, 0);
  const breachesBy = (index: number) =>
    queues.reduce((sum, queue) => sum + (queue.forecast?.breaches[index]?.count ?? 0), 0);
  return { overdue, byHorizon: horizons.map((_, index) => overdue + breachesBy(index)) };
}
