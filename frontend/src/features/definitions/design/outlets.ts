// Where an arrow that is drawn from a node can begin: at a connection of the node, or at a new one.
import { addBranch, connect, setAttribute } from './change';
import { type Connection, connectionsOf, type DesignNode, listOf } from './design';

/** A connection that a node has, or one that its kind allows. */
export interface Outlet {
  connection: Connection;
  /** Whether the text does not have it yet. */
  isNew: boolean;
}

/** The connections of a node, then those that can be added. */
export function outletsOf(node: DesignNode): Outlet[] {
  const connections = connectionsOf(node);
  return [
    ...connections.map((connection) => ({ connection, isNew: false })),
    ...missing(node, connections).map((connection) => ({ connection, isNew: true })),
  ];
}

/** Leads a connection, which is added if the node does not have it, to a node. */
export function lead(text: string, node: DesignNode, outlet: Outlet, to: string): string {
  const { connection, isNew } = outlet;
  if (isNew && connection.kind === 'branch') return addBranch(text, node, to, 'risk >= 30');
  if (isNew && connection.kind === 'timeout')
    return setAttribute(text, node, ['timeout'], { after: '24h', to });
  return connect(text, node, connection, to);
}

function missing(node: DesignNode, connections: readonly Connection[]): Connection[] {
  const lacks = (kind: Connection['kind']) => connections.every((one) => one.kind !== kind);
  const named = (kind: Connection['kind'], names: readonly string[]) =>
    names
      .filter((name) => connections.every(({ path }) => path[0] !== 'on' || path[1] !== name))
      .map((name) => added(['on', name], kind, name));
  const next = lacks('next') && lacks('outcome') ? [added(['next'], 'next')] : [];
  const failure = connections.every(({ kind, label }) => kind !== 'error' || label !== '')
    ? [added(['errors', listOf(node.attributes.errors).length, 'to'], 'error')]
    : [];
  const timeout = lacks('timeout') ? [added(['timeout', 'to'], 'timeout')] : [];
  switch (node.kind) {
    case 'end':
      return [];
    case 'stage':
      return [...next, ...failure];
    case 'external':
      return [...next, ...timeout, ...failure];
    case 'review':
      return node.attributes.duty === 'repair'
        ? [...named('verdict', ['repaired']), ...named('return', ['return'])]
        : [...named('verdict', ['approve', 'reject']), ...named('return', ['return']), ...timeout];
    case 'saga':
      return named('outcome', ['done', 'undone']);
    case 'exclusive':
      return [
        added(['branches', listOf(node.attributes.branches).length, 'to'], 'branch'),
        ...(lacks('default') ? [added(['default'], 'default')] : []),
      ];
    case 'fork':
      return [added(['to', listOf(node.attributes.to).length], 'next')];
    default:
      return next;
  }
}

const added = (path: Connection['path'], kind: Connection['kind'], label = ''): Connection => ({
  path,
  kind,
  label,
  to: '',
  cancelsAll: false,
});
