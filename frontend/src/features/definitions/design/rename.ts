// Gives a node another id, and changes everything in the process that names it in the same step.
import { setHeader } from './change';
import {
  connectionsOf,
  type Design,
  type DesignNode,
  isRecord,
  listOf,
  readDesign,
  reEntryOf,
  textOf,
} from './design';
import { type Path, setIn } from './edit-text';

/** Why a node cannot have the id. */
export type BadId = 'taken' | 'malformed';

const idPattern = /^[a-z][a-z0-9_]{0,62}$/;

/** Why the node cannot have the id; null if it can. */
export function badId(design: Design, node: DesignNode, id: string): BadId | null {
  if (!idPattern.test(id)) return 'malformed';
  return design.nodes.some((other) => other !== node && other.id === id) ? 'taken' : null;
}

/** Gives the node another id. References are replaced in place, so the other lines stay as they are. */
export function renameNode(text: string, design: Design, node: DesignNode, id: string): string {
  if (badId(design, node, id) !== null || id === node.id) return text;
  const renamed = [...referencesTo(design, node.id), ['nodes', node.index, 'id']].reduce(
    (changed, path) => setIn(changed, path, id),
    text,
  );
  // Without re_enter, a node with the id validate is where returned cases continue.
  const read = readDesign(renamed);
  const wanted = reEntryOf(design) === node.id ? id : reEntryOf(design);
  if (!('design' in read) || reEntryOf(read.design) === wanted) return renamed;
  return setHeader(renamed, ['re_enter'], wanted);
}

/** The paths of the values that name the node. */
export function referencesTo(design: Design, id: string): Path[] {
  const header = ['re_enter', 'on_replace', 'on_enter', 'on_abandon']
    .filter((name) => design.header[name] === id)
    .map((name): Path => [name]);
  return [
    ...header,
    ...design.nodes.flatMap((node) =>
      [
        ...connectionsOf(node).flatMap(({ path, to }) => (to === id ? [path] : [])),
        ...cancelsOf(node, id),
      ].map((path): Path => ['nodes', node.index, ...path]),
    ),
  ];
}

/** The paths of entries that withdraw the work of the node. */
function cancelsOf({ attributes }: DesignNode, id: string): Path[] {
  const targets: [Path, unknown][] = [
    [['next'], attributes.next],
    [['default'], attributes.default],
    [['timeout'], attributes.timeout],
    ...Object.entries(isRecord(attributes.on) ? attributes.on : {}).map(
      ([name, target]): [Path, unknown] => [['on', name], target],
    ),
    ...['branches', 'errors'].flatMap((list) =>
      listOf(attributes[list]).map((entry, index): [Path, unknown] => [[list, index], entry]),
    ),
  ];
  return targets.flatMap(([path, target]) =>
    listOf(isRecord(target) ? target.cancel : undefined).flatMap((entry, index) =>
      textOf(entry) === id ? [[...path, 'cancel', index]] : [],
    ),
  );
}
