// Durations as a definition has them ("90s", "24h") and as a number of a unit.

export const units = ['s', 'm', 'h', 'd'] as const;
export type Unit = (typeof units)[number];

/** "48h" -> 2 days; null if the duration is not a whole number of one unit. */
export function durationOf(text: string): { count: number; unit: Unit } | null {
  const match = /^(\d{1,9})(s|m|h)$/.exec(text);
  if (!match) return null;
  const count = Number(match[1]);
  const unit = match[2] as 's' | 'm' | 'h';
  return unit === 'h' && count > 24 && count % 24 === 0
    ? { count: count / 24, unit: 'd' }
    : { count, unit };
}

/** The duration as a definition has it; the definition has no days. */
export function durationText(count: number, unit: Unit): string {
  return unit === 'd' ? `${count * 24}h` : `${count}${unit}`;
}
