// Calls of other processes: which process a node calls, and where its ends lead.
import { setAttribute, successorOf } from './change';
import { connectionsOf, type Design, type DesignNode, textOf } from './design';

/** A process that others can call. */
export interface CallableProcess {
  key: string;
  title: string;
  titles: readonly { name: string; value: string }[];
  ends: readonly string[];
}

/**
 * The text as people write it: without the called processes, which the server adds when it is
 * proposed. They are everything from the line `called:` to the next line that is not indented.
 */
export function withoutCalled(text: string): string {
  return text.replace(/^called:[ \t]*(#.*)?\n(?:(?:[ \t].*)?\n|[ \t].*$(?!\n))*/m, '');
}

/** The attributes by which a node calls a process and leads to the target. */
export function callOf(process: CallableProcess, target: string, otherwise: string) {
  const [first, ...others] = process.ends;
  if (first === undefined || others.length === 0) return { process: process.key, next: target };
  return {
    process: process.key,
    on: Object.fromEntries(process.ends.map((end) => [end, end === first ? target : otherwise])),
  };
}

/** Lets the node call another process. An end of the same name keeps its target. */
export function setCalled(
  text: string,
  design: Design,
  node: DesignNode,
  process: CallableProcess,
): string {
  const { next, on } = callOf(process, successorOf(node), refusalOf(design));
  const kept = new Map(connectionsOf(node).map(({ label, to }) => [label, to]));
  const targets =
    on && Object.fromEntries(Object.entries(on).map(([end, to]) => [end, kept.get(end) || to]));
  return [
    { path: ['process'], value: process.key },
    { path: ['next'], value: next },
    { path: ['on'], value: targets },
  ].reduce((changed, { path, value }) => setAttribute(changed, node, path, value), text);
}

/** Where a rejected case goes, '' if there is no such node: the check then asks for a target. */
export function refusalOf(design: Design): string {
  const { nodes, header } = design;
  const rejected = nodes.find(({ attributes }) => attributes.outcome === 'rejected');
  return rejected?.id ?? textOf(header.on_abandon);
}
