// Days as a form has them (2026-11-30, in the reader's own zone), and the moments they begin.

/** The day of a moment, as an input of type date has it. */
export function dayOf(at: Date): string {
  const twoDigits = (n: number) => String(n).padStart(2, '0');
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;
}

/** The first moment of the day, and with `after` that of a later one; null for what is no day. */
export function startOfDay(day: string, after = 0): Date | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day);
  if (!match) return null;
  const [year, month, date] = match.slice(1).map(Number) as [number, number, number];
  const at = new Date(year, month - 1, date + after);
  return after === 0 && dayOf(at) !== day ? null : at;
}

/** A span of whole days as the server takes it: from (left out when it begins today) until the first moment after. */
export function dateRangeOf(
  from: string,
  last: string,
  today: string,
): { from: string | null; until: string } | null {
  const [begin, end] = [startOfDay(from), startOfDay(last, 1)];
  if (!begin || !end || end <= begin || last < today) return null;
  return { from: from <= today ? null : begin.toISOString(), until: end.toISOString() };
}
