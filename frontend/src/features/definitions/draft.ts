// A changed text outlives going away, loading again and the end of the session: it is kept in this window.
const place = (key: string) => `countersign.definition.${key}`;

/** The text kept under the key; null when there is none. */
export function keptDraft(key: string): string | null {
  return sessionStorage.getItem(place(key));
}

/** Keeps the text, where the browser lets it. */
export function keepDraft(key: string, text: string): void {
  try {
    sessionStorage.setItem(place(key), text);
  } catch {
    // The window's store is full or closed: the text is still on the page.
  }
}

/** Forgets the text. */
export function dropDraft(key: string): void {
  sessionStorage.removeItem(place(key));
}
