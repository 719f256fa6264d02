// The entries of the command palette that fit what the user types.

export interface PaletteEntry {
  id: string;
  label: string;
  /** The key that does the same. */
  keys?: string;
  run: () => void;
}

/** The entries that have every word, those that begin with the first one at the top. */
export function matching(entries: readonly PaletteEntry[], typed: string): PaletteEntry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter(({ label }) =>
    words.every((word) => label.toLowerCase().includes(word)),
  );
  const first = words[0] ?? '';
  const begins = ({ label }: PaletteEntry) => label.toLowerCase().startsWith(first);
  return [...found.filter(begins), ...found.filter((entry) => !begins(entry))];
}
