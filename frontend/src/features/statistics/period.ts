// The period and filters of the statistics, between the address, the query and the export.
import type { StatisticsFilter, StatisticsPeriod } from '../../graphql/generated/graphql';
import { dayOf } from '../../lib/days';
import { plainID } from '../../lib/plain-id';

/** The period, groups and filters of the statistics, stored in their address. */
export interface StatisticsSearch {
  from?: string;
  to?: string;
  by?: 'QUEUE' | 'PROCESS' | 'PERSON';
  queue?: string;
  process?: string;
  person?: string;
}

/** The days of the presets, the first of which is the default. */
export const presets = [30, 7, 90] as const;

const maxDays = 366;

/** The day `days` before the date of an input. */
function dayBefore(day: string, days: number): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return dayOf(new Date(year, month - 1, date - days, 12));
}

/** The last days, today included. */
export function lastDays(days: number, today: string): { from: string; to: string } {
  return { from: dayBefore(today, days - 1), to: today };
}

/** The period of an address; the last 30 days without one, and null if it is not valid. */
export function periodOf(
  search: StatisticsSearch,
  today: string,
  zone: string,
): StatisticsPeriod | null {
  const preset = lastDays(presets[0], today);
  const period = { from: search.from ?? preset.from, to: search.to ?? preset.to, zone };
  const [first, last] = [Date.parse(period.from), Date.parse(period.to)];
  const days = (last - first) / 86_400_000 + 1;
  return days >= 1 && days <= maxDays ? period : null;
}

/** The preset that the period is, if it is one. */
export function presetOf(period: StatisticsPeriod | null, today: string): number | null {
  return (
    presets.find((days) => {
      const preset = lastDays(days, today);
      return preset.from === period?.from && preset.to === period.to;
    }) ?? null
  );
}

/** The filter of the query. */
export function filterOf({ queue, process, person }: StatisticsSearch): StatisticsFilter {
  return { queue: queue ?? null, process: process ?? null, personId: person ?? null };
}

/** The parameters of the export. */
export function exportFilters(search: StatisticsSearch, period: StatisticsPeriod, parts: boolean) {
  return {
    from: period.from,
    to: period.to,
    zone: period.zone,
    by: parts ? undefined : (search.by ?? 'DAY').toLowerCase(),
    queue: search.queue,
    process: search.process,
    person: (search.person && plainID(search.person)) || undefined,
  };
}

/** A duration in the two largest units that are not zero: "3 h 20 min". */
export function durationText(seconds: number, locale: string): string {
  const total = Math.max(0, Math.round(seconds)); // never -0
  const parts: [number, 'day' | 'hour' | 'minute' | 'second'][] = [
    [Math.floor(total / 86_400), 'day'],
    [Math.floor(total / 3_600) % 24, 'hour'],
    [Math.floor(total / 60) % 60, 'minute'],
    [total % 60, 'second'],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  const shown = parts.slice(first < 0 ? 3 : first, first < 0 ? 4 : first + 2);
  return shown
    .filter(([value], index) => index === 0 || value > 0)
    .map(([value, unit]) =>
      new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(value),
    )
    .join(' ');
}

/** The unit of an axis with times up to so many seconds. */
export function axisOf(longest: number): { unit: 'minutes' | 'hours' | 'days'; seconds: number } {
  if (longest < 2 * 3_600) return { unit: 'minutes', seconds: 60 };
  if (longest < 3 * 86_400) return { unit: 'hours', seconds: 3_600 };
  return { unit: 'days', seconds: 86_400 };
}

/** A share in percent; null without a whole. */
export function shareText(part: number, whole: number, locale: string): string | null {
  if (whole === 0) return null;
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(
    part / whole,
  );
}

/** The shade of a time from 0 to 4, by its share of the longest one on a scale of its square root. */
export function heatOf(seconds: number, longest: number): number {
  if (seconds <= 0 || longest <= 0) return 0;
  return Math.min(4, Math.max(1, Math.ceil(Math.sqrt(seconds / longest) * 4)));
}
