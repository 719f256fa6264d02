// Exact decimal amounts as text, because binary floats would round them.

import { perLocale } from './format';

/** The currency of limits. */
export const baseCurrency = 'USD';

const separators = perLocale((locale) => {
  const parts = new Intl.NumberFormat(locale).formatToParts(1234567.8);
  const of = (type: string) => parts.find((part) => part.type === type)?.value;
  return { group: of('group') ?? ',', point: of('decimal') ?? '.' };
});

/** Formats a decimal amount with the separators of the language: "1234567.80" -> "1,234,567.80". */
export function groupedAmount(amount: string, locale: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount);
  if (!match) return amount;
  const [, sign = '', whole = '', fraction] = match;
  const { group, point } = separators(locale);
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, group);
  return `${sign === '-' ? '−' : ''}${grouped}${fraction === undefined ? '' : point + fraction}`;
}

/** Adds zeros to an amount until it has as many decimals as the other: "10.5", "52.50" -> "10.50". */
export function withDecimalsOf(amount: string, other: string): string {
  const decimals = other.split('.')[1]?.length ?? 0;
  const [whole = '', fraction = ''] = amount.split('.');
  if (fraction.length >= decimals || !/^-?\d+$/.test(whole)) return amount;
  return `${whole}.${fraction.padEnd(decimals, '0')}`;
}

/** Compares two decimal amounts: negative, zero or positive. */
export function compareAmounts(a: string, b: string): number {
  const [scaled, other] = sameScale(a, b);
  return scaled === other ? 0 : scaled < other ? -1 : 1;
}

/** How much a decimal amount, or the sum of several, differs from another: "20.98", "21.00" -> "0.02". */
export function differenceOf(amounts: readonly string[], other: string): string {
  const scale = Math.max(...[...amounts, other].map((text) => text.split('.')[1]?.length ?? 0));
  const zero = scale > 0 ? `0.${'0'.repeat(scale)}` : '0';
  const sum = amounts.reduce((added, amount) => added + sameScale(amount, zero)[0], 0n);
  const difference = sum - sameScale(other, zero)[0];
  const text = (difference < 0n ? -difference : difference).toString().padStart(scale + 1, '0');
  return scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

function sameScale(a: string, b: string): [bigint, bigint] {
  const digits = (text: string) => text.split('.')[1]?.length ?? 0;
  const scale = Math.max(digits(a), digits(b));
  const whole = (text: string) => {
    const [head = '0', tail = ''] = text.split('.');
    return BigInt(head + tail.padEnd(scale, '0'));
  };
  return [whole(a), whole(b)];
}

/** Whether the text is a decimal amount that the server accepts. */
export function isPlainAmount(text: string): boolean {
  return /^\d{1,15}(\.\d{1,4})?$/.test(text.trim());
}
