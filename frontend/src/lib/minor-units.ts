// Amounts as people write them, and in minor units of their currency as a definition has them.
import exceptions from './currency-digits.json';

/** The decimals of the base currency. */
const baseDigits = 2;

/**
 * The decimals of the currency; null if it is no code of three letters. They are those of the server: Intl has
 * others for some currencies, such as none for the forint.
 */
export const digitsOf = (currency: string): number | null =>
  /^[A-Z]{3}$/.test(currency) ? ((exceptions as Record<string, number>)[currency] ?? 2) : null;

/** 10000000 -> "100000.00". */
export function amountText(minor: number, decimals = baseDigits): string {
  const digits = String(Math.abs(Math.trunc(minor))).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  return `${minor < 0 ? '-' : ''}${whole}${decimals > 0 ? `.${digits.slice(-decimals)}` : ''}`;
}

/** "100,000.00" -> 10000000; null if it is no amount, or one that is too large. */
export function minorUnits(text: string, decimals = baseDigits): number | null {
  const match = /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?$/.exec(text.trim());
  if (!match || (match[2] ?? '').length > decimals) return null;
  const minor = Number(
    (match[1] ?? '').replaceAll(',', '') + (match[2] ?? '').padEnd(decimals, '0'),
  );
  return Number.isSafeInteger(minor) ? minor : null;
}
