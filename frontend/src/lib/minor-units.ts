// Amounts of the base currency as people write them, and in minor units as a definition has them.
const decimals = 2;

/** 10000000 -> "100000.00". */
export function amountText(minor: number): string {
  const digits = String(Math.abs(Math.trunc(minor))).padStart(decimals + 1, '0');
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** "100,000.00" -> 10000000; null if it is no amount, or one that is too large. */
export function minorUnits(text: string): number | null {
  const match = /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (!match) return null;
  const minor = Number(
    (match[1] ?? '').replaceAll(',', '') + (match[2] ?? '').padEnd(decimals, '0'),
  );
  return Number.isSafeInteger(minor) ? minor : null;
}
