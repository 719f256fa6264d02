// The entries of the command palette that fit what the user types.

export interface PaletteEntry {
  id: string;
  label: string;
  /** The name within the label, such as that of a view. */
  name?: string;
  /** The key that does the same. */
  keys?: string;
  run: () => void;
}

const wordsOf = (typed: string) => typed.toLowerCase().split(/\s+/).filter(Boolean);

/** Whether the entry, or the name in it, begins with the first word. */
export function begins({ label, name = label }: PaletteEntry, typed: string): boolean {
  const first = wordsOf(typed)[0] ?? '';
  return [label, name].some((text) => text.toLowerCase().startsWith(first));
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
