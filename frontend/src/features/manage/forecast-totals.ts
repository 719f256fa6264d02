// Sums the forecasts of several queues.

/** The forecast horizons in hours, the same as in the query QueueForecasts. */
export const horizons = [4, 24, 48] as const;

interface Expected {
  overdue: number;
  forecast: { breaches: readonly { count: number }[] } | null;
}

/**
 * The reviews that are overdue now, and those that will be at each horizon, including the present
 * ones.
 */
export function totalsOf(queues: readonly Expected[]): { overdue: number; byHorizon: number[] } {
  const overdue = queues.reduce((sum, queue) => sum + queue.overdue, 0);
  const breachesBy = (index: number) =>
    queues.reduce((sum, queue) => sum + (queue.forecast?.breaches[index]?.count ?? 0), 0);
  return { overdue, byHorizon: horizons.map((_, index) => overdue + breachesBy(index)) };
}

/** How many reviews of the queue have to be claimed within the first horizon, if none is claimed. */
export function claimsDueSoon(
  queues:
    | readonly {
        name: string;
        forecast: { breaches: readonly { claims: number }[] } | null;
      }[]
    | undefined,
  name: string,
): number {
  return queues?.find((queue) => queue.name === name)?.forecast?.breaches[0]?.claims ?? 0;
}

/** The minutes of history if they are too few for a forecast, otherwise null. */
export function shortHistory(
  queues: readonly { forecast: { historyMinutes: number } | null }[],
): number | null {
  const minutes = queues.flatMap(({ forecast }) => forecast?.historyMinutes ?? []);
  const longest = Math.max(...minutes);
  return minutes.length > 0 && longest < 60 ? longest : null;
}
