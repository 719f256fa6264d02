// Values of fields and rules as every page shows them: a country with its name, an amount with separators, a day as
// the user's region writes it, an IBAN in groups of four.
import { countryText } from './countries';
import { perLocale, regionalLocale } from './format';
import { groupedAmount } from './money';

const days = perLocale(
  (locale) =>
    new Intl.DateTimeFormat(regionalLocale(locale), { dateStyle: 'medium', timeZone: 'UTC' }),
);

/** A day such as 2026-11-30 as the user's region writes it; other texts stay as they are. */
export function dayText(value: string, language: string): string {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(value) ? new Date(`${value}T00:00:00Z`) : null;
  if (!day || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== value) return value;
  return days(language).format(day);
}

/** An account in full; an IBAN in groups of four. */
export function groupedAccount(account: string): string {
  return /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(account)
    ? account.replace(/(.{4})(?=.)/g, '$1 ')
    : account;
}

/** The value of a field of a type of the API. What it does not know stays as it is. */
export function shownText(type: string, value: string, language: string, name = ''): string {
  if (name === 'tax_breakdown') return taxesText(value, language);
  if (type === 'COUNTRY') return countryText(value, language);
  if (type === 'DATE') return dayText(value, language);
  if (type === 'IBAN') return groupedAccount(value);
  return type === 'MONEY' && /^-?\d+(\.\d+)?$/.test(value) ? groupedAmount(value, language) : value;
}

/** "19%: 1000.00 + 190.00" with separators; the rates stay. */
const taxesText = (value: string, language: string) =>
  value.replace(/-?\d+\.?\d*(?=\s\+|;|$)/g, (amount) => groupedAmount(amount, language));

const isCountry = (name: string) => name === 'country' || name.endsWith('_country');

/** The names of values that can look like an amount or a day and are none. */
const notValues = new Set(['number', 'earlier_number', 'order_number', 'reference', 'vat_id']);

/** The names of accounts, of documents and of findings about them. */
const accounts = new Set(['iban', 'account']);

const amount = /^(-?\d+\.\d{2,3})( [A-Z]{3})?$/;

/** The value of a field or of a rule, given its name. Codes and other texts stay as they are. */
export function valueText(name: string, value: string, language: string): string {
  if (isCountry(name)) return countryText(value, language);
  if (name === 'tax_breakdown') return taxesText(value, language);
  if (notValues.has(name)) return value;
  if (accounts.has(name)) return groupedAccount(value);
  const day = dayText(value, language);
  if (day !== value) return day;
  const parts = amount.exec(value);
  return parts ? `${groupedAmount(parts[1] ?? '', language)}${parts[2] ?? ''}` : value;
}

interface NamedValue {
  name: string;
  value: string;
}

/** A sentence that contains the values as the server writes them, with the values as pages show them. */
export function withValueTexts(
  sentence: string,
  values: readonly NamedValue[],
  language: string,
): string {
  const texts = new Map(
    values
      .map(({ name, value }) => [value, valueText(name, value, language)] as const)
      .filter(([value, text]) => value !== '' && value !== text),
  );
  if (texts.size === 0) return sentence;
  const longestFirst = [...texts.keys()].sort((a, b) => b.length - a.length);
  const escaped = longestFirst.map((value) => value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const found = new RegExp(`(?<![A-Za-z0-9.,])(?:${escaped.join('|')})(?![A-Za-z0-9])`, 'g');
  return sentence.replace(found, (value) => texts.get(value) ?? value);
}
