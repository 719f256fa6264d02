// Writes values as YAML, as a person would: names and lists of names on one line, nodes as blocks.
import { Document, isMap, isSeq, type Node, stringify, type ToStringOptions, visit } from 'yaml';

const options: ToStringOptions = { lineWidth: 0, flowCollectionPadding: false };

/** The value on one line. `inFlow` quotes what would end a value between braces or brackets. */
export function inlineText(value: unknown, inFlow: boolean): string {
  const whole = plain(value);
  if (!inFlow && typeof whole !== 'object') return stringify(whole, options).trimEnd();
  const text = stringify([whole], { ...options, collectionStyle: 'flow' }).trimEnd();
  return text.slice(1, -1);
}

/** The value as lines with the indentation; no line break at the end. */
export function blockLines(value: unknown, indent: number, lineBreak: string): string {
  const document = new Document(plain(value));
  visit(document, {
    Collection: (_, node) => {
      // The outermost is written into lines of a block.
      if (node !== document.contents && isSmall(node)) {
        node.flow = true;
        return visit.SKIP;
      }
    },
  });
  const margin = ' '.repeat(indent);
  return document
    .toString(options)
    .trimEnd()
    .split('\n')
    .map((line) => margin + line)
    .join(lineBreak);
}

/** A list of words, a title or limits: on one line. */
function isSmall(node: Node): boolean {
  if (isSeq(node)) return node.items.every((item) => !isMap(item) && !isSeq(item));
  if (!isMap(node)) return false;
  const keys = node.items.map(({ key }) => String(key));
  return keys.length > 0 && keys.every((key) => smallKeys.has(key));
}

const smallKeys = new Set(['en', 'zh', 'max_amount', 'max_risk', 'undo', 'to', 'cancel', 'after']);

/** Without line breaks in texts, so that each value stays on its line. */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\s*[\r\n]+\s*/g, ' ');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : [[key, plain(one)]])),
  );
}
