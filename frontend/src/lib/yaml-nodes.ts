// Where the parts of a parsed YAML text are, for editors that change single values in it.
import { isNode, isScalar, type Pair, type YAMLMap } from 'yaml';

/** The start and the end of the node's text. */
export function rangeOf(node: unknown): [number, number] {
  const range = isNode(node) ? node.range : null;
  if (!range) throw new Error('a node has no range');
  return [range[0], range[1]];
}

/** The pair of the mapping with the key; undefined if there is none. */
export function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}
