// Reads the text of a definition as a header and a list of entries, with the line of each. It accepts
// unfinished texts; whether one is sound is the server's check.
import { type Document, isMap, isNode, isSeq, LineCounter, parseDocument, visit } from 'yaml';

/** The longest text that forms edit, in characters, and the most entries that a definition can have. */
const maxText = 250_000;
const mostEntries = 500;

export type Attributes = Readonly<Record<string, unknown>>;

export interface Entry {
  attributes: Attributes;
  /** The position in the list. */
  index: number;
  /** The line in the text, from 1. */
  line: number;
}

/** Why forms cannot edit a text. */
export interface Unreadable {
  reason: 'syntax' | 'aliases' | 'size' | 'list';
  /** 0 if unknown. */
  line: number;
}

export type ReadList = { header: Attributes; entries: Entry[] } | { problem: Unreadable };

/** Reads the mappings of the list with the name, and the other attributes of the text. */
export function readList(text: string, name: string): ReadList {
  if (text.length > maxText) return { problem: { reason: 'size', line: 0 } };
  const lines = new LineCounter();
  const document = parsed(text, lines);
  if (!document) return { problem: { reason: 'syntax', line: 0 } };
  const [error] = document.errors;
  if (error) return { problem: { reason: 'syntax', line: lines.linePos(error.pos[0]).line } };
  const alias = aliasIn(document);
  if (alias !== null) return { problem: { reason: 'aliases', line: lines.linePos(alias).line } };
  const list = document.get(name);
  if (!isMap(document.contents) || !isSeq(list) || !list.items.every(isMap))
    return { problem: { reason: 'list', line: 0 } };
  if (list.items.length > mostEntries) return { problem: { reason: 'size', line: 0 } };
  const { [name]: _, ...header } = document.toJS() as Record<string, unknown>;
  const entries = list.items.map((item, index) => ({
    attributes: (isNode(item) ? item.toJS(document) : {}) as Attributes,
    index,
    line: isNode(item) && item.range ? lines.linePos(item.range[0]).line : 0,
  }));
  return { header, entries };
}

/** The parsed text; null if it is nested too deeply for the parser. */
function parsed(text: string, lineCounter: LineCounter): Document | null {
  try {
    return parseDocument(text, { lineCounter });
  } catch {
    return null;
  }
}

/** The position of the first alias or anchor; null if there is none. */
function aliasIn(document: Document): number | null {
  let found: number | null = null;
  visit(document, {
    Alias: (_, node) => {
      found ??= node.range?.[0] ?? 0;
    },
    Node: (_, node) => {
      if ('anchor' in node && node.anchor) found ??= node.range?.[0] ?? 0;
    },
  });
  return found;
}
