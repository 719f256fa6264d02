// Values of fields and rules as every page shows them: a country with its name, an amount with separators.
import { countryText } from './countries';
import { groupedAmount } from './money';

const isCountry = (name: string) => name === 'country' || name.endsWith('_country');

/** The names of values that can look like an amount and are none. */
const notAmounts = new Set(['number', 'order_number', 'reference', 'iban', 'vat_id']);

const amount = /^(-?\d+\.\d{2,3})( [A-Z]{3})?$/;

/** The value of a field or of a rule, given its name. Codes, dates and other texts stay as they are. */
export function valueText(name: string, value: string, language: string): string {
  if (isCountry(name)) return countryText(value, language);
  const parts = notAmounts.has(name) ? null : amount.exec(value);
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
