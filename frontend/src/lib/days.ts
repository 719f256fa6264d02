// Dates of form inputs (2026-11-30, in the user's time zone) and their start times.

/** The date of a moment as an input of type date has it. */
export function dayOf(at: Date): string {
  const twoDigits = (n: number) => String(n).padStart(2, '0');
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;
}

/** The start of the date, or of the date `after` days later; null if it is invalid. */
export function startOfDay(day: string, after = 0): Date | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day);
  if (!match) return null;
  const [year, month, date] = match.slice(1).map(Number) as [number, number, number];
  const at = new Date(year, month - 1, date + after);
  return after === 0 && dayOf(at) !== day ? null : at;
}

/**
 * A range of dates as the API takes it: `from` is null if it starts today, `until` is exclusive.
 */
export function dateRangeOf(
  from: string,
  last: string,
  today: string,
): { from: string | null; until: string } | null {
  const [begin, end] = [startOfDay(from), startOfDay(last, 1)];
  if (!begin || !end || end <= begin || last < today) return null;
  return { from: from <= today ? null : begin.toISOString(), until: end.toISOString() };
}
