// Formats dates, durations and sizes in a language.

/** Keeps what `make` returns for each language: the browser makes a formatter slower than it formats. */
export function perLocale<Made>(make: (locale: string) => Made): (locale: string) => Made {
  const made = new Map<string, Made>();
  return (locale) => {
    const kept = made.get(locale) ?? make(locale);
    made.set(locale, kept);
    return kept;
  };
}

/** The browser's variant of the language of the page, such as en-GB for en; else the language. */
export function regionalLocale(language: string, preferred = navigator.languages): string {
  return preferred.find((one) => one.split('-')[0] === language) ?? language;
}

const dateTimes = perLocale(
  (locale) =>
    new Intl.DateTimeFormat(regionalLocale(locale), { dateStyle: 'medium', timeStyle: 'short' }),
);
const clocks = perLocale(
  (locale) => new Intl.DateTimeFormat(regionalLocale(locale), { timeStyle: 'medium' }),
);
const distances = perLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));

/** Date and time in the user's time zone. */
export function dateTimeText(iso: string, locale: string): string {
  return dateTimes(locale).format(new Date(iso));
}

/** The time of day with seconds, for recent events. */
export function clockText(iso: string, locale: string): string {
  return clocks(locale).format(new Date(iso));
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
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length || unit === 'second')
      return distances(locale).format(Math.trunc(seconds / length), unit);
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
