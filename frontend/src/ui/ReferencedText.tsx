// A text in which references of cases are links.
import { Link } from '@tanstack/react-router';
import { noteParts } from '../lib/note-text';

interface ReferencedTextProps {
  text: string;
  /** The cases that are linked; without it all, also those that the user may not open. */
  linked?: ReadonlySet<string>;
}

export function ReferencedText({ text, linked }: ReferencedTextProps) {
  let at = 0;
  return noteParts(text).map((part) => {
    at += part.text.length;
    return part.reference && (!linked || linked.has(part.reference)) ? (
      <Link key={at} to="/cases/$id" params={{ id: part.reference }}>
        {part.text}
      </Link>
    ) : (
      part.text
    );
  });
}
