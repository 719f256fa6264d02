// The findings that other documents made since the rules were evaluated last, as the last correction states them.

interface Correction {
  recomputed?: readonly string[];
  riskBefore?: number;
  riskAfter?: number;
}

export interface Recomputed {
  rules: readonly string[];
  before: number;
  after: number;
}

/** What the last correction among the events states; null if it states no such findings. */
export function recomputedOf(
  events: readonly { type: string; body?: unknown }[],
): Recomputed | null {
  const last = events.findLast(({ type }) => type === 'fields.corrected');
  const body = last?.body as Correction | null | undefined;
  if (!body?.recomputed?.length) return null;
  return { rules: body.recomputed, before: body.riskBefore ?? 0, after: body.riskAfter ?? 0 };
}
