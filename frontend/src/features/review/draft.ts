// The draft of a review. It is stored on the server, or in memory until the server has accepted it,
// and never in the browser's storage.
import type { TypedValues } from './review-values';

export interface Draft {
  typed: TypedValues;
  reason: string;
  /** The unsaved line items as text (line-draft.ts); empty if there are none. */
  lines: string;
}

export const emptyDraft: Draft = { typed: {}, reason: '', lines: '' };

/** Reads a stored draft of any version; an invalid one is empty. */
export function draftOf(stored: unknown): Draft {
  if (stored === null || typeof stored !== 'object') return emptyDraft;
  const { typed, reason, lines } = stored as { typed?: unknown; reason?: unknown; lines?: unknown };
  const entries = typed !== null && typeof typed === 'object' ? Object.entries(typed) : [];
  const values = entries.flatMap(([name, one]: [string, unknown]) => {
    const { value, base } = (one ?? {}) as { value?: unknown; base?: unknown };
    return typeof value === 'string' && typeof base === 'string'
      ? [[name, { value, base }] as const]
      : [];
  });
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return { typed: Object.fromEntries(values), reason: text(reason), lines: text(lines) };
}

export function sameDraft(a: Draft, b: Draft): boolean {
  const names = Object.keys(a.typed);
  if (a.reason !== b.reason || a.lines !== b.lines) return false;
  if (names.length !== Object.keys(b.typed).length) return false;
  return names.every(
    (name) =>
      a.typed[name]?.value === b.typed[name]?.value && a.typed[name]?.base === b.typed[name]?.base,
  );
}

export function isEmptyDraft(draft: Draft): boolean {
  return sameDraft(draft, emptyDraft);
}

/** Drafts that the server has not accepted yet, by review id; lost on reload. */
export const unsentDrafts = new Map<string, Draft>();
