// The smallest change from one text to another, and the messages at the lines of a text.
import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { LineMark } from '../TextEditor';

/** The part that differs; null if the texts are the same. The caret and undo keep their places. */
export function changeBetween(
  before: string,
  after: string,
): { from: number; to: number; insert: string } | null {
  // The editor holds line breaks of Windows as those of other systems, as a text area does.
  const next = after.replaceAll('\r\n', '\n');
  if (before === next) return null;
  const shorter = Math.min(before.length, next.length);
  let from = 0;
  while (from < shorter && before[from] === next[from]) from++;
  let same = 0;
  while (same < shorter - from && before[before.length - 1 - same] === next[next.length - 1 - same])
    same++;
  return { from, to: before.length - same, insert: next.slice(from, next.length - same) };
}

/** The messages as the editor takes them. A message about a line that is gone is left out. */
export function diagnosticsOf(doc: Text, marks: readonly LineMark[]): Diagnostic[] {
  return marks
    .filter(({ line }) => line <= doc.lines)
    .map(({ line, tone, text }) => {
      const { from, to, text: content } = doc.line(line);
      return {
        from: from + content.length - content.trimStart().length,
        to,
        severity: tone === 'bad' ? ('error' as const) : ('warning' as const),
        message: text,
      };
    })
    .sort((one, other) => one.from - other.from);
}
