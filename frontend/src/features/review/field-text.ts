// Interprets a typed value for the hint under its field. The server validates it again.
import { countryCode } from '../../lib/countries';
import { digitsOf } from '../../lib/minor-units';
import { groupedAmount } from '../../lib/money';
import { groupedAccount } from '../../lib/value-text';

export type FieldType =
  | 'TEXT'
  | 'MONEY'
  | 'DATE'
  | 'CURRENCY'
  | 'IBAN'
  | 'VAT_ID'
  | 'COUNTRY'
  | 'NUMBER'
  | 'BOOLEAN'
  | 'CHOICE';

export type Fault = 'amount' | 'digits' | 'date' | 'currency' | 'iban' | 'country';

/**
 * `read`: the formatted value. `fault`: the problem, and the permitted number of decimal places.
 */
export type Reading = { read: string } | { fault: Fault; digits?: number };

/**
 * The formatted value, or its problem; null if only the server can tell. Money is in `currency`,
 * null if unknown.
 */
export function readingOf(
  type: FieldType,
  text: string,
  currency: string | null,
  locale: string,
): Reading | null {
  const value = text.trim();
  if (value === '') return null;
  switch (type) {
    case 'MONEY':
      return moneyReading(value, currency, locale);
    case 'DATE':
      return dateReading(value, locale);
    case 'CURRENCY':
      return nameReading(value, 'currency', /^[A-Z]{3}$/, locale);
    case 'COUNTRY':
      return countryReading(value, locale);
    case 'IBAN':
      return ibanReading(value);
    default:
      return null;
  }
}

/** Whether a text that another engine read can be a value of the type; of other date formats, whether the day exists. */
export function isValueOf(type: FieldType, text: string): boolean {
  const value = text.trim();
  const reading = readingOf(type, value, null, 'en');
  if (reading && 'fault' in reading) return false;
  if (type === 'NUMBER') return /^-?[\d.,'’ \u00a0\u202f]*\d[\d.,'’ \u00a0\u202f]*$/.test(value);
  const numeric = /^(\d{1,2})[./-](\d{1,2})[./-]\d{2,4}$/.exec(value);
  if (type !== 'DATE' || !numeric) return true;
  const [one, two] = [Number(numeric[1]), Number(numeric[2])];
  // Day and month in either order.
  return Math.min(one, two) >= 1 && Math.max(one, two) <= 31 && Math.min(one, two) <= 12;
}

function moneyReading(value: string, currency: string | null, locale: string): Reading | null {
  if (!/^-?[\d.,'’ \u00a0\u202f]+$/.test(value) || !/\d/.test(value)) return { fault: 'amount' };
  const decimal = /^-?\d+(?:\.(\d+))?$/.exec(value);
  // Other formats are left to the server, which refuses ambiguous amounts.
  if (!decimal) return null;
  const digits = currency ? digitsOf(currency) : null;
  const fractionDigits = (decimal[1] ?? '').replace(/0+$/, '').length;
  if (digits !== null && fractionDigits > digits) return { fault: 'digits', digits };
  return {
    read: currency ? `${groupedAmount(value, locale)} ${currency}` : groupedAmount(value, locale),
  };
}

function dateReading(value: string, locale: string): Reading | null {
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value);
  if (!iso) return /\d/.test(value) ? null : { fault: 'date' };
  const day = new Date(`${value}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== value)
    return { fault: 'date' };
  return {
    read: new Intl.DateTimeFormat(locale, {
      weekday: 'short',
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      timeZone: 'UTC',
    }).format(day),
  };
}

function nameReading(
  value: string,
  type: 'currency' | 'region',
  form: RegExp,
  locale: string,
): Reading {
  const code = value.toUpperCase();
  const fault = { fault: type === 'region' ? ('country' as const) : ('currency' as const) };
  if (!form.test(code)) return fault;
  const name = new Intl.DisplayNames(locale, { type, fallback: 'none' }).of(code);
  return name ? { read: name } : fault;
}

/**
 * The country of a code, or of its name in either language. Other names, such as a city with its
 * country, are left to the server, which knows more of them.
 */
function countryReading(value: string, locale: string): Reading | null {
  const known = countryCode(value);
  if (known) return { read: new Intl.DisplayNames(locale, { type: 'region' }).of(known) ?? known };
  return /^[A-Za-z]{1,2}$/.test(value) ? { fault: 'country' } : null;
}

function ibanReading(value: string): Reading {
  const iban = value.replace(/\s/g, '').toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban) || remainder97(iban) !== 1)
    return { fault: 'iban' };
  return { read: groupedAccount(iban) };
}

/** ISO 7064 MOD 97-10, digit by digit. */
function remainder97(iban: string): number {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    for (const digit of Number.parseInt(character, 36).toString())
      remainder = (remainder * 10 + Number(digit)) % 97;
  }
  return remainder;
}
