// A changed text outlives going away, loading again and the end of the session: it is kept in this window.
const storageKey = (key: string) => `countersign.definition.${key}`;

/** The text kept under the key; null when there is none. */
export function loadDraft(key: string): string | null {
  return sessionStorage.getItem(storageKey(key));
}

/** Keeps the text, where the browser lets it. */
export function saveDraft(key: string, text: string): void {
  try {
    sessionStorage.setItem(storageKey(key), text);
  } catch {
    // The window's store is full or closed: the text is still on the page.
  }
}

/** Forgets the text. */
export function deleteDraft(key: string): void {
  sessionStorage.removeItem(storageKey(key));
}
