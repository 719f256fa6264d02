// What a text changes in the process that it began with, node by node.
import { type Design, readDesign, titleOf } from './design';
import { sameMeaning } from './meaning';

export interface Changes {
  /** The nodes that are new or differ. */
  kinds: ReadonlyMap<string, 'added' | 'changed'>;
  /** The names of the nodes that are gone. */
  removed: readonly string[];
}

export function changesOf(baseText: string, design: Design): Changes {
  const read = readDesign(baseText);
  const before = new Map(
    'design' in read ? read.design.nodes.map((node) => [node.id, node] as const) : [],
  );
  const kinds = new Map<string, 'added' | 'changed'>();
  for (const node of design.nodes) {
    const earlier = before.get(node.id);
    if (!earlier) kinds.set(node.id, 'added');
    else if (!sameMeaning(earlier, node)) kinds.set(node.id, 'changed');
  }
  const present = new Set(design.nodes.map(({ id }) => id));
  const removed = [...before.values()]
    .filter(({ id }) => !present.has(id))
    .map(({ id, attributes }) => titleOf(attributes.title, 'en') || id);
  return { kinds, removed };
}
