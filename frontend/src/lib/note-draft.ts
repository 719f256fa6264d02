// Unsent notes and comments, stored in sessionStorage so that they survive navigation, reload and sign-in.
// Each belongs to one user and one case, or one subject of proposals, and signing out deletes all.
const prefix = 'countersign.note.';

export interface NoteDraft<TAudience extends string> {
  text: string;
  audience: TAudience;
  mentioned: readonly { id: string; name: string }[];
}

const storageKey = (person: string, caseId: string) => `${prefix}${person}.${caseId}`;

/**
 * The stored note. A note for readers to whom the user may not write any more stays stored, and is not
 * returned: the form would offer it to other readers.
 */
export function loadNote<TAudience extends string>(
  person: string,
  caseId: string,
  writes: readonly TAudience[],
): NoteDraft<TAudience> | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey(person, caseId)) ?? 'null');
    if (typeof stored?.text !== 'string' || !writes.includes(stored.audience)) return null;
    const mentioned = Array.isArray(stored.mentioned) ? stored.mentioned : [];
    return { text: stored.text, audience: stored.audience, mentioned };
  } catch {
    return null;
  }
}

/** Stores the note if the browser permits it; one without text is deleted. */
export function saveNote<TAudience extends string>(
  person: string,
  caseId: string,
  draft: NoteDraft<TAudience>,
): void {
  try {
    if (draft.text === '') sessionStorage.removeItem(storageKey(person, caseId));
    else sessionStorage.setItem(storageKey(person, caseId), JSON.stringify(draft));
  } catch {
    // The storage is full or disabled; the text is still on the page.
  }
}

/** Deletes the note that was sent, unless another text is stored by now. */
export function dropNote(person: string, caseId: string, text: string): void {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey(person, caseId)) ?? 'null');
    if (stored?.text === text) sessionStorage.removeItem(storageKey(person, caseId));
  } catch {
    // Nothing is stored.
  }
}

/** Deletes all unsent notes. */
export function dropAllNotes(): void {
  try {
    const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
    for (const key of keys) sessionStorage.removeItem(key);
  } catch {
    // Nothing is stored.
  }
}
