// Process definitions as the page lists them.
import type { ProcessesQuery } from '../../graphql/generated/graphql';

export type Definition = ProcessesQuery['processDefinitions']['nodes'][number];
export type Node = Definition['nodes'][number];

/** Versions by process; the newest first, as the server has them. */
export function byKey(definitions: readonly Definition[]): [string, Definition[]][] {
  const keys = [...new Set(definitions.map(({ key }) => key))];
  return keys.map((key) => [key, definitions.filter((one) => one.key === key)]);
}

/** The name in the language, else the given one. */
export function nameIn(names: readonly { name: string; value: string }[], language: string, otherwise: string): string {
  return names.find(({ name }) => name === language)?.value || otherwise;
}

export function otherLanguage(language: string): 'en' | 'zh' {
  return language === 'zh' ? 'en' : 'zh';
}

/** Steps in the order in which a case can come to them: breadth first from the start; what nothing leads to comes last. */
export function inOrder(nodes: readonly Node[]): Node[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const order: Node[] = [];
  const seen = new Set<string>();
  const waiting = nodes.filter((node) => node.kind === 'start').map((node) => node.id);
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    const node = byId.get(id);
    if (!node || seen.has(id)) continue;
    seen.add(id);
    order.push(node);
    waiting.push(...node.next);
  }
  return [...order, ...nodes.filter((node) => !seen.has(node.id))];
}
