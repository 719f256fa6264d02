// Unsaved definition texts, stored in sessionStorage so that they survive navigation, reload and
// sign-in.
const storageKey = (key: string) => `countersign.definition.${key}`;

/** The draft stored under the key; null if there is none. */
export function loadDraft(key: string): string | null {
  return sessionStorage.getItem(storageKey(key));
}

/** Stores the draft if the browser permits it. */
export function saveDraft(key: string, text: string): void {
  try {
    sessionStorage.setItem(storageKey(key), text);
  } catch {
    // The storage is full or disabled; the text is still on the page.
  }
}

/** Deletes the draft. */
export function deleteDraft(key: string): void {
  sessionStorage.removeItem(storageKey(key));
}
