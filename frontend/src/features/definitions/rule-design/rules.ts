// Reads the text of a rule set as rules, for the forms.
import { parseDocument } from 'yaml';
import { isRecord, textOf } from '../design/design';
import { type Attributes, type Entry, readList, type Unreadable } from '../design/read-list';

export interface RuleEntry extends Entry {
  id: string;
}

export interface RuleTexts {
  header: Attributes;
  rules: readonly RuleEntry[];
}

export type ReadRules =
  | { set: RuleTexts }
  | { problem: { reason: Unreadable['reason'] | 'ambiguous'; line: number } };

export function readRules(text: string): ReadRules {
  const read = readList(text, 'rules');
  if ('problem' in read) return read;
  if (isAmbiguous(text)) return { problem: { reason: 'ambiguous', line: 0 } };
  return {
    set: {
      header: read.header,
      rules: read.entries.map((entry) => ({ ...entry, id: textOf(entry.attributes.id) })),
    },
  };
}

/**
 * Whether YAML 1.1 and 1.2 read a value differently: 010 is 8 or 10. The server knows values of both,
 * and a form must show what the server reads.
 */
function isAmbiguous(text: string): boolean {
  const [old, present] = (['1.1', '1.2'] as const).map((version) =>
    JSON.stringify(parseDocument(text, { version }).toJS()),
  );
  return old !== present;
}

/** The keys of the document types of the set, with spaces between them. */
export function typesOf({ header }: RuleTexts): string {
  const types = header.document_types;
  return Array.isArray(types) ? types.map(textOf).filter(Boolean).join(' ') : '';
}

/** The text of an attribute in the language. */
export function wordsOf(rule: RuleEntry, attribute: string, language: string): string {
  const texts = rule.attributes[attribute];
  return isRecord(texts) ? textOf(texts[language]) : '';
}

/** The name of a rule: its title, or its id. */
export const ruleName = (rule: RuleEntry, language: string): string =>
  wordsOf(rule, 'title', language) || rule.id;
