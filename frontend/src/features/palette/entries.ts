// The entries of the command palette that fit what the user types.

export interface PaletteEntry {
  id: string;
  label: string;
  /** The key that does the same. */
  keys?: string;
  run: () => void;
}

const wordsOf = (typed: string) => typed.toLowerCase().split(/\s+/).filter(Boolean);

/** Whether the entry begins with the first word. */
export function begins({ label }: PaletteEntry, typed: string): boolean {
  return label.toLowerCase().startsWith(wordsOf(typed)[0] ?? '');
}

/** The entries that have every word, those that begin with the first one at the top. */
export function matching(entries: readonly PaletteEntry[], typed: string): PaletteEntry[] {
  const found = entries.filter(({ label }) =>
    wordsOf(typed).every((word) => label.toLowerCase().includes(word)),
  );
  return [
    ...found.filter((entry) => begins(entry, typed)),
    ...found.filter((entry) => !begins(entry, typed)),
  ];
}
