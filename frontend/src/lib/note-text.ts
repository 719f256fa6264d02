// The text of notes: references of cases, and the name that is being typed after "@".

/** A part of a text; reference is that of a case, for a link. */
export interface NotePart {
  text: string;
  reference: string | null;
}

const references = /\bCS-\d{4}-\d{6,}\b/g;

/** Splits a text at the references of cases. All other text stays text. */
export function noteParts(text: string): NotePart[] {
  const parts: NotePart[] = [];
  let from = 0;
  for (const match of text.matchAll(references)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), reference: null });
    parts.push({ text: match[0], reference: match[0] });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), reference: null });
  return parts;
}

/** What is typed after the last "@" before the caret; null if no name is being typed. */
export function mentionAt(text: string, caret: number): string | null {
  const match = /(?:^|\s)@([^\s@]{0,60}(?: [^\s@]{0,40})?)$/u.exec(text.slice(0, caret));
  return match?.[1] ?? null;
}

/** The text with the name in place of what was typed after "@", and the caret behind it. */
export function withMention(text: string, caret: number, name: string): [string, number] {
  const typed = mentionAt(text, caret) ?? '';
  const before = `${text.slice(0, caret - typed.length)}${name} `;
  return [before + text.slice(caret), before.length];
}
