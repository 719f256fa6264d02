// Changes single values in a YAML text. Everything else stays as it is, byte by byte: comments, order,
// quotes and line breaks. Ranges come from the parser of the library yaml; the text itself is spliced.
import {
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { pairOf, rangeOf } from '../../../lib/yaml-nodes';
import { blockLines, inlineText } from './render';

/** The keys and indexes that lead to a value. */
export type Path = readonly (string | number)[];

/** Sets the value at the path; undefined removes it. Collections on the way are added. */
export function setIn(text: string, path: Path, value: unknown, order?: readonly string[]): string {
  const root = rootOf(text);
  let parent: YAMLMap | YAMLSeq = root;
  for (const [depth, step] of path.slice(0, -1).entries()) {
    const next = childOf(parent, step);
    if (!isMap(next) && !isSeq(next)) {
      if (value === undefined) return text;
      return setIn(text, path.slice(0, depth + 1), nested(path.slice(depth + 1), value), order);
    }
    parent = next;
  }
  const last = path.at(-1);
  if (last === undefined) throw new Error('the path is empty');
  if (isMap(parent)) return setPair(text, parent, String(last), value, path, order);
  return setItem(text, parent, Number(last), value, path);
}

/** Inserts a value into the sequence at the path, before the item with the index. */
export function insertIn(text: string, path: Path, index: number, value: unknown): string {
  const sequence = valueAt(rootOf(text), path);
  if (!isSeq(sequence)) return setIn(text, path, [value]);
  if (sequence.flow) return insertIntoFlow(text, sequence, index, inlineText(value, true));
  const before = sequence.items[index - 1];
  const first = sequence.items[0];
  if (!isNode(first)) return setIn(text, path, [value]);
  const dash = dashOf(text, first);
  const lines = blockLines([value], column(text, dash), breakOf(text));
  if (!isNode(before)) {
    const at = lineStart(text, dash);
    return text.slice(0, at) + lines + breakOf(text) + text.slice(at);
  }
  const at = lineEnd(text, endOf(text, before));
  return text.slice(0, at) + breakOf(text) + lines + text.slice(at);
}

function rootOf(text: string): YAMLMap {
  const { contents, errors } = parseDocument(text);
  if (errors[0]) throw errors[0];
  if (!isMap(contents)) throw new Error('the text is not a mapping');
  return contents;
}

function nested(path: Path, value: unknown): unknown {
  return path.reduceRight<unknown>(
    (inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }),
    value,
  );
}

function childOf(parent: YAMLMap | YAMLSeq, step: string | number): unknown {
  return isMap(parent) ? pairOf(parent, String(step))?.value : parent.items[Number(step)];
}

function valueAt(root: YAMLMap, path: Path): unknown {
  return path.reduce<unknown>(
    (parent, step) => (isMap(parent) || isSeq(parent) ? childOf(parent, step) : undefined),
    root,
  );
}

function setPair(
  text: string,
  map: YAMLMap,
  key: string,
  value: unknown,
  path: Path,
  order: readonly string[] | undefined,
): string {
  const pair = pairOf(map, key);
  if (!pair) return value === undefined ? text : addPair(text, map, key, value, order);
  if (value !== undefined) return replaceValue(text, map, pair, value);
  if (map.items.length === 1 && path.length > 1) return setIn(text, path.slice(0, -1), undefined);
  return map.flow
    ? removeFromFlow(text, map, map.items.indexOf(pair))
    : removeLines(text, map, pair);
}

function replaceValue(text: string, map: YAMLMap, pair: Pair, value: unknown): string {
  const [, keyEnd] = rangeOf(pair.key);
  const colon = text.indexOf(':', keyEnd);
  const old = pair.value;
  const written = inlineText(value, map.flow === true);
  if (isNode(old) && !isBlock(old) && old.range && old.range[1] > old.range[0])
    return text.slice(0, old.range[0]) + written + text.slice(old.range[1]);
  // An absent value, a block or a folded text: everything after the colon.
  const end = isNode(old) && isBlock(old) ? endOf(text, old) : colon + 1;
  const indent = column(text, rangeOf(pair.key)[0]);
  const lines = isNested(value) && !map.flow ? blockLines(value, indent + 2, breakOf(text)) : null;
  return (
    text.slice(0, colon + 1) +
    (lines === null ? ` ${written}` : breakOf(text) + lines) +
    text.slice(end)
  );
}

function addPair(
  text: string,
  map: YAMLMap,
  key: string,
  value: unknown,
  order: readonly string[] = [],
): string {
  if (map.flow)
    return insertIntoFlow(
      text,
      map,
      map.items.length,
      `${inlineText(key, true)}: ${inlineText(value, true)}`,
    );
  const before = predecessor(map, key, order);
  const indent = column(text, rangeOf(before.key)[0]);
  const lines = blockLines({ [key]: value }, indent, breakOf(text));
  const at = lineEnd(text, endOfPair(text, before));
  return text.slice(0, at) + breakOf(text) + lines + text.slice(at);
}

/** The pair after which a new key is written: the last one that comes before it in the order. */
function predecessor(map: YAMLMap, key: string, order: readonly string[]): Pair {
  const rank = (name: unknown) => order.indexOf(String(isScalar(name) ? name.value : name));
  const place = order.indexOf(key);
  const earlier = place < 0 ? [] : map.items.filter((pair) => rank(pair.key) < place);
  const pair = earlier.at(-1) ?? map.items.at(-1);
  if (!pair) throw new Error('a block mapping has no pairs');
  return pair;
}

function setItem(
  text: string,
  sequence: YAMLSeq,
  index: number,
  value: unknown,
  path: Path,
): string {
  const item = sequence.items[index];
  if (!isNode(item)) {
    return value === undefined
      ? text
      : insertIn(text, path.slice(0, -1), sequence.items.length, value);
  }
  if (value === undefined) {
    if (sequence.items.length === 1) return setIn(text, path.slice(0, -1), undefined);
    if (sequence.flow) return removeFromFlow(text, sequence, index);
    return cutLines(text, dashOf(text, item), endOf(text, item));
  }
  const [start] = rangeOf(item);
  return text.slice(0, start) + inlineText(value, true) + text.slice(endOf(text, item));
}

function insertIntoFlow(
  text: string,
  collection: YAMLMap | YAMLSeq,
  index: number,
  written: string,
): string {
  const [start] = rangeOf(collection);
  const before = collection.items[index - 1];
  const after = collection.items[index];
  if (before) {
    const at = isPair(before) ? endOfPair(text, before) : endOf(text, before as Node);
    return `${text.slice(0, at)}, ${written}${text.slice(at)}`;
  }
  return `${text.slice(0, start + 1)}${written}${after ? ', ' : ''}${text.slice(start + 1)}`;
}

function removeFromFlow(text: string, collection: YAMLMap | YAMLSeq, index: number): string {
  const spanOf = (at: number): [number, number] => {
    const item = collection.items[at];
    if (isPair(item)) return [rangeOf(item.key)[0], endOfPair(text, item)];
    return [rangeOf(item)[0], endOf(text, item as Node)];
  };
  const [start, end] = spanOf(index);
  if (index > 0) return text.slice(0, spanOf(index - 1)[1]) + text.slice(end);
  if (collection.items.length > 1) return text.slice(0, start) + text.slice(spanOf(1)[0]);
  return text.slice(0, start) + text.slice(end);
}

function removeLines(text: string, map: YAMLMap, pair: Pair): string {
  const [start] = rangeOf(pair.key);
  const [first, second] = map.items;
  // The first key of an item is behind its dash, which the next key takes over.
  if (pair === first && second && text.slice(lineStart(text, start), start).trim() !== '')
    return text.slice(0, start) + text.slice(rangeOf(second.key)[0]);
  return cutLines(text, start, endOfPair(text, pair));
}

/** Removes the lines from one position to another. */
function cutLines(text: string, from: number, to: number): string {
  const end = text.indexOf('\n', to);
  return text.slice(0, lineStart(text, from)) + (end < 0 ? '' : text.slice(end + 1));
}

/** Whether the value is written over several lines. */
function isNested(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((one) => typeof one === 'object');
  return typeof value === 'object' && value !== null && Object.values(value).some(isNested);
}

function isBlock(node: Node): boolean {
  if (isCollection(node)) return node.flow !== true;
  return (
    isScalar(node) && (node.type === Scalar.BLOCK_FOLDED || node.type === Scalar.BLOCK_LITERAL)
  );
}

/** Where the text of the node ends, without line breaks and comments after it. */
export function endOf(text: string, node: Node): number {
  if (isCollection(node) && !node.flow) {
    const last = node.items.at(-1);
    if (isPair(last)) return endOfPair(text, last);
    if (isNode(last)) return endOf(text, last);
  }
  let [, end] = rangeOf(node);
  if (isBlock(node)) while (end > 0 && /\s/.test(text[end - 1] ?? '')) end--;
  return end;
}

function endOfPair(text: string, pair: Pair): number {
  const [, keyEnd] = rangeOf(pair.key);
  return isNode(pair.value) ? Math.max(keyEnd + 1, endOf(text, pair.value)) : keyEnd;
}

/** The position of the dash of a block sequence's item. */
export const dashOf = (text: string, item: Node) => text.lastIndexOf('-', rangeOf(item)[0]);
export const breakOf = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');
export const lineStart = (text: string, at: number) => text.lastIndexOf('\n', at - 1) + 1;
export const column = (text: string, at: number) => at - lineStart(text, at);

/** The end of the line, before its line break. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}
