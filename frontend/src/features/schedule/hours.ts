// Working hours as text, one line per day, such as "09:00-12:30, 13:00-17:30".

export interface Hours {
  weekday: number;
  from: string;
  to: string;
}

/** The weekdays, Monday first; 0 is Sunday. */
export const week = [1, 2, 3, 4, 5, 6, 0] as const;

/** The name of a weekday in the language. */
export function weekdayName(weekday: number, locale: string): string {
  // 2023-01-01 was a Sunday.
  const day = new Date(Date.UTC(2023, 0, 1 + weekday));
  return new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }).format(day);
}

/** The hours of a day as text. */
export function hoursText(hours: readonly Hours[], weekday: number): string {
  const ranges = hours.filter((one) => one.weekday === weekday);
  return ranges.map(({ from, to }) => `${from}-${to}`).join(', ');
}

function minutes(text: string): number | null {
  const match = /^(\d{1,2})(?::?(\d\d))?$/.exec(text.trim());
  if (!match) return null;
  const at = Number(match[1]) * 60 + Number(match[2] ?? 0);
  return Number(match[2] ?? 0) < 60 && at <= 1440 ? at : null;
}

const clock = (at: number) =>
  `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;

/** Parses the text of a day; null if it is invalid. An empty text is a day off. */
export function hoursOf(text: string, weekday: number): Hours[] | null {
  const found: Hours[] = [];
  let last = -1;
  for (const part of text.split(/[,;，；、]/).filter((one) => one.trim() !== '')) {
    const [begin, end, more] = part.split(/[-–—~]/);
    const [from, to] = [minutes(begin ?? ''), minutes(end ?? '')];
    if (more !== undefined || from === null || to === null || to <= from || from < last)
      return null;
    last = to;
    found.push({ weekday, from: clock(from), to: clock(to) });
  }
  return found;
}

/** Parses dates such as 2026-12-25, one per line; null if one is invalid. */
export function holidaysOf(text: string): string[] | null {
  const days = text.split(/[\s,;]+/).filter((one) => one !== '');
  const isDay = (day: string) => {
    const date = new Date(`${day}T00:00:00Z`);
    return (
      /^\d{4}-\d\d-\d\d$/.test(day) &&
      !Number.isNaN(date.getTime()) &&
      date.toISOString().startsWith(day)
    );
  };
  return days.every(isDay) ? [...new Set(days)].sort() : null;
}

/** The working hours of a week. */
export function weekHours(hours: readonly Hours[]): number {
  const sum = hours.reduce(
    (all, { from, to }) => all + (minutes(to) ?? 0) - (minutes(from) ?? 0),
    0,
  );
  return Math.round(sum / 6) / 10;
}
