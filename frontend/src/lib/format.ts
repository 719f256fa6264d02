// Formats dates, durations and sizes in a language.

/** Date and time in the user's time zone. */
export function dateTimeText(iso: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(iso),
  );
}

/** The time of day with seconds, for recent events. */
export function clockText(iso: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }).format(new Date(iso));
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** The distance of a moment from now: "in 3 hours", "2 days ago". */
export function relativeText(iso: string, now: number, locale: string): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1000);
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length || unit === 'second')
      return format.format(Math.trunc(seconds / length), unit);
  }
  return '';
}

/** A number of bytes as text: 12 kB, 3.4 MB. */
export function sizeText(bytes: number, locale: string): string {
  const format = (value: number, digits: number) =>
    new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value);
  if (bytes < 1_000) return `${format(bytes, 0)} B`;
  if (bytes < 1_000_000) return `${format(bytes / 1_000, 0)} kB`;
  return `${format(bytes / 1_000_000, 1)} MB`;
}

/** A share between 0 and 1 as a percentage. */
export function shareText(share: number, locale: string): string {
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(
    share,
  );
}
