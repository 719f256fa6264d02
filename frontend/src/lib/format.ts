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
const days = perLocale(
  (locale) => new Intl.DateTimeFormat(regionalLocale(locale), { dateStyle: 'medium' }),
);
const fullTimes = perLocale(
  (locale) =>
    new Intl.DateTimeFormat(regionalLocale(locale), {
      dateStyle: 'full',
      timeStyle: 'long', // with the time zone
    }),
);
const clocks = perLocale(
  (locale) => new Intl.DateTimeFormat(regionalLocale(locale), { timeStyle: 'medium' }),
);
const exactTimes = perLocale(
  (locale) =>
    new Intl.DateTimeFormat(regionalLocale(locale), { dateStyle: 'medium', timeStyle: 'long' }),
);
const distances = perLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));

/** Date and time in the user's time zone. */
export function dateTimeText(iso: string, locale: string): string {
  return dateTimes(locale).format(new Date(iso));
}

/** The date of a moment in the user's time zone. */
export function dayText(iso: string, locale: string): string {
  return days(locale).format(new Date(iso));
}

/** Date, time with seconds and time zone, for a title. */
export function fullTimeText(iso: string, locale: string): string {
  return fullTimes(locale).format(new Date(iso));
}

/** Date, time with seconds and time zone, as an audit needs it. */
export function exactTimeText(iso: string, locale: string): string {
  return exactTimes(locale).format(new Date(iso));
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

/** The time that is left, rounded down: "3 days", "23 h", "1 h 59 min". Minutes count below ten hours. */
export function timeLeftText(left: number, locale: string): string {
  const units =
    locale === 'zh'
      ? { day: ' 天', hour: ' 小时', minute: ' 分钟' }
      : { day: ' days', hour: ' h', minute: ' min' };
  const minutes = Math.max(Math.floor(left / 60_000), 1);
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)}${units.day}`;
  const rest = hours >= 10 ? 0 : minutes % 60;
  return [
    hours > 0 ? `${hours}${units.hour}` : '',
    rest > 0 || hours === 0 ? `${rest}${units.minute}` : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
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

// The bound of sure values on the scale of confidences, and the share of right values at it (extraction.SureShare).
const bound = 0.6;
const shareAtBound = 0.925;

/**
 * The share of right values among those that were read with the confidence. Confidences are on a scale on which
 * 0.6 is the bound of sure values for every engine.
 */
export function rightText(confidence: number, locale: string): string {
  const right =
    confidence < bound
      ? (confidence / bound) * shareAtBound
      : shareAtBound + ((confidence - bound) / (1 - bound)) * (1 - shareAtBound);
  return shareText(right, locale);
}

/** Names in a sentence: "Vendor, Number and Total". */
export function listOf(language: string, names: readonly string[]): string {
  // British English has no comma before "and".
  return new Intl.ListFormat(language === 'en' ? 'en-GB' : language).format(names);
}
