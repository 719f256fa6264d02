// What a reviewer has begun: kept by the server with the review, and in the page's memory for as long as the server could
// not take it. Never in the browser's own store.
import type { TypedValues } from './review-values';

export interface Draft {
  typed: TypedValues;
  reason: string;
}

export const emptyDraft: Draft = { typed: {}, reason: '' };

/** Reads a draft of any age or origin; what does not look like one is none. */
export function draftOf(stored: unknown): Draft {
  if (stored === null || typeof stored !== 'object') return emptyDraft;
  const { typed, reason } = stored as { typed?: unknown; reason?: unknown };
  const entries = typed !== null && typeof typed === 'object' ? Object.entries(typed) : [];
  const values = entries.flatMap(([name, one]: [string, unknown]) => {
    const { value, base } = (one ?? {}) as { value?: unknown; base?: unknown };
    return typeof value === 'string' && typeof base === 'string'
      ? [[name, { value, base }] as const]
      : [];
  });
  return { typed: Object.fromEntries(values), reason: typeof reason === 'string' ? reason : '' };
}

export function sameDraft(a: Draft, b: Draft): boolean {
  const names = Object.keys(a.typed);
  if (a.reason !== b.reason || names.length !== Object.keys(b.typed).length) return false;
  return names.every(
    (name) =>
      a.typed[name]?.value === b.typed[name]?.value && a.typed[name]?.base === b.typed[name]?.base,
  );
}

export function isEmptyDraft(draft: Draft): boolean {
  return sameDraft(draft, emptyDraft);
}

/** Drafts that left their page before the server had them, by review. They go with the page's memory. */
export const unsentDrafts = new Map<string, Draft>();
