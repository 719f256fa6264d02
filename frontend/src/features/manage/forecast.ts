// The forecasts of queues, together.

/** How far the board looks ahead, in hours; as the document Outlook asks. */
export const spans = [4, 24, 48] as const;

interface Expected {
  overdue: number;
  forecast: { breaches: readonly { count: number }[] } | null;
}

/** What is overdue now, and what will be by each span, those of now included. */
export function sums(queues: readonly Expected[]): { overdue: number; by: number[] } {
  const overdue = queues.reduce((sum, queue) => sum + queue.overdue, 0);
  const more = (index: number) =>
    queues.reduce((sum, queue) => sum + (queue.forecast?.breaches[index]?.count ?? 0), 0);
  return { overdue, by: spans.map((_, index) => overdue + more(index)) };
}
