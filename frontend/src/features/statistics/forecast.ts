// The weeks and the change of a forecast, between the address, the query and the export.
import type { ReplayChange } from '../../graphql/generated/graphql';

/** The weeks and the change, stored in the address. */
export interface ForecastSearch {
  weeks?: number;
  queue?: string;
  reviewers?: number;
  deadline?: number;
  process?: string;
  from?: string;
}

export const weekChoices = [4, 8, 12, 26] as const;
export const deadlineChoices = [50, 100, 200] as const;

const defaultWeeks = 8;

export const weeksOf = ({ weeks }: ForecastSearch): number =>
  weekChoices.find((one) => one === weeks) ?? defaultWeeks;

export const deadlineOf = ({ deadline }: ForecastSearch): number =>
  deadlineChoices.find((one) => one === deadline) ?? 100;

export const largestChange = 20;

/** Reviewers more or fewer, within the bounds of the query. */
export const reviewersOf = ({ reviewers }: ForecastSearch): number =>
  Math.max(-largestChange, Math.min(largestChange, Math.trunc(reviewers ?? 0) || 0));

/** An amount such as 2000 or 2,000.00. */
export const isAmount = (text: string): boolean => /^\d[\d,. ]{0,20}$/.test(text);

/** What the query changes. */
export function changeOf(search: ForecastSearch): ReplayChange {
  return {
    queue: search.queue ?? null,
    reviewers: reviewersOf(search),
    deadlinePercent: deadlineOf(search),
    process: search.process ?? null,
    reviewFrom: search.process && search.from && isAmount(search.from) ? search.from : null,
  };
}

/** Whether the search changes anything. */
export function changesSomething(search: ForecastSearch): boolean {
  const change = changeOf(search);
  return (
    (search.queue !== undefined && (change.reviewers !== 0 || change.deadlinePercent !== 100)) ||
    change.reviewFrom !== null
  );
}

/** The parameters of the export. */
export function replayFilters(search: ForecastSearch, zone: string) {
  const change = changeOf(search);
  return {
    weeks: String(weeksOf(search)),
    zone,
    queue: change.queue ?? undefined,
    reviewers: change.reviewers ? String(change.reviewers) : undefined,
    deadlinePercent: change.deadlinePercent === 100 ? undefined : String(change.deadlinePercent),
    process: change.process ?? undefined,
    reviewFrom: change.reviewFrom ?? undefined,
  };
}

interface Counted {
  late: number;
  open: number;
}

/** The sum of figures over queues. */
export function sumOf(figures: readonly Counted[]): Counted {
  return figures.reduce(
    (sum, { late, open }) => ({ late: sum.late + late, open: sum.open + open }),
    { late: 0, open: 0 },
  );
}

/** The last day of each week. */
export function weekEnds<TDay>(days: readonly TDay[]): TDay[] {
  return days.filter((_, index) => index % 7 === 6);
}
