// Figures of the quality sample as texts.

/** A share in percent with at most two decimals; small shares are not shown as zero. */
export function percentText(share: number, language: string): string {
  return new Intl.NumberFormat(language, {
    style: 'percent',
    maximumFractionDigits: share > 0 && share < 0.001 ? 3 : 2,
  }).format(share);
}

/** A median time in seconds, minutes or hours. */
export function durationParts(seconds: number): {
  unit: 'second' | 'minute' | 'hour';
  count: number;
} {
  if (seconds < 120) return { unit: 'second', count: Math.round(seconds) };
  if (seconds < 7200) return { unit: 'minute', count: Math.round(seconds / 60) };
  return { unit: 'hour', count: Math.round(seconds / 360) / 10 };
}

/** A median time as a short text, such as "35 sec". */
export function durationText(seconds: number, language: string): string {
  const { unit, count } = durationParts(seconds);
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(
    count,
  );
}

/** The values of a check to send: fields without a value are not on the document. */
export function valuesToSend(
  fields: readonly string[],
  entered: Readonly<Record<string, string>>,
): { field: string; value: string }[] {
  return fields.map((field) => ({ field, value: (entered[field] ?? '').trim() }));
}
