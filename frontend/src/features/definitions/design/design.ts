// Reads the text of a process as nodes with connections, for the drawing and the forms. It accepts
// unfinished processes; whether one is sound is the server's check.
import type { ProcessGraphData } from '../../../ui/graph/process';
import type { Path } from './edit-text';
import { type Attributes, readList, type Unreadable } from './read-list';

export interface DesignNode {
  id: string;
  kind: string;
  /** The position in the list of nodes. */
  index: number;
  /** The line in the text, from 1. */
  line: number;
  attributes: Attributes;
}

export interface Design {
  header: Attributes;
  nodes: readonly DesignNode[];
}

export type ReadDesign = { design: Design } | { problem: Unreadable };

export function readDesign(text: string): ReadDesign {
  const read = readList(text, 'nodes');
  if ('problem' in read) return read;
  return {
    design: {
      header: read.header,
      nodes: read.entries.map(({ attributes, index, line }) => ({
        id: textOf(attributes.id),
        kind: textOf(attributes.kind),
        index,
        line,
        attributes,
      })),
    },
  };
}

/** An edge of a node: where it is in the text, and where it leads. */
export interface Connection {
  /** The path of the target within the node. */
  path: Path;
  /** As in the drawing (ui/graph/drawing.ts). */
  kind: 'next' | 'outcome' | 'verdict' | 'return' | 'branch' | 'default' | 'timeout' | 'error';
  /** The outcome, verdict, guard, time or codes. */
  label: string;
  /** '' if nothing is stated. */
  to: string;
  /** Whether taking it withdraws all other open work; null if the text names single nodes. */
  cancelsAll: boolean | null;
}

/** The connections of a node in the order of the text. */
export function connectionsOf(node: DesignNode): Connection[] {
  const { next, on, branches, default: otherwise, to, timeout, errors } = node.attributes;
  const found: Connection[] = [];
  const add = (path: Path, kind: Connection['kind'], label: string, target: unknown) => {
    const nested = isRecord(target);
    found.push({
      path: nested ? [...path, 'to'] : path,
      kind,
      label,
      to: textOf(nested ? target.to : target),
      cancelsAll: cancelOf(nested ? target.cancel : undefined),
    });
  };
  if (next !== undefined) add(['next'], 'next', '', next);
  if (isRecord(on))
    for (const [name, target] of Object.entries(on))
      add(['on', name], kindOfOutcome(node.kind, name), name, target);
  listOf(branches).forEach((branch, index) => {
    if (isRecord(branch)) add(['branches', index, 'to'], 'branch', textOf(branch.when), branch.to);
  });
  if (otherwise !== undefined) add(['default'], 'default', '', otherwise);
  listOf(to).forEach((target, index) => {
    add(['to', index], 'next', '', target);
  });
  if (isRecord(timeout)) add(['timeout', 'to'], 'timeout', textOf(timeout.after), timeout.to);
  listOf(errors).forEach((failure, index) => {
    if (isRecord(failure))
      add(
        ['errors', index, 'to'],
        'error',
        listOf(failure.codes).map(textOf).join(', '),
        failure.to,
      );
  });
  return found;
}

function cancelOf(cancel: unknown): boolean | null {
  return Array.isArray(cancel) ? null : cancel === 'all';
}

function kindOfOutcome(kind: string, name: string): Connection['kind'] {
  if (kind !== 'review') return 'outcome';
  return name === 'return' ? 'return' : 'verdict';
}

/** Where a returned case continues, unless its review names another node. */
export function reEntryOf({ header, nodes }: Design): string {
  if (header.re_enter) return textOf(header.re_enter);
  const start = nodes.find(({ kind }) => kind === 'start');
  return nodes.some(({ id }) => id === 'validate') ? 'validate' : textOf(start?.attributes.next);
}

/** The graph as the drawing takes it. Connections to nodes that do not exist are left out. */
export function graphOf(design: Design): ProcessGraphData {
  const known = new Set(design.nodes.map(({ id }) => id));
  const lines = design.nodes.flatMap((node) =>
    connectionsOf(node).map((connection) => ({
      id: connectionId(node.id, connection),
      from: node.id,
      to: connection.to || (connection.kind === 'return' ? reEntryOf(design) : ''),
      kind: connection.kind,
      label: connection.label,
    })),
  );
  const abandon = textOf(design.header.on_abandon);
  return {
    nodes: design.nodes.map(({ id, kind, attributes }) => ({
      id,
      kind,
      label: titleOf(attributes.title, 'en') || id,
      labels: isRecord(attributes.title)
        ? Object.entries(attributes.title).map(([name, value]) => ({ name, value: textOf(value) }))
        : [],
      within: '',
      queue: textOf(attributes.queue),
      seats: numberOf(attributes.seats, 1),
      quorum: numberOf(attributes.quorum, numberOf(attributes.seats, 1)),
      decideBy: textOf(attributes.decide_by),
      votesHidden: attributes.votes === 'hidden',
      remind: listOf(attributes.remind).map(textOf),
    })),
    remindSubmitter: textOf(design.header.remind_submitter) || null,
    lines: [
      ...lines,
      ...(abandon ? [{ id: 'abandon', from: '', to: abandon, kind: 'abandon', label: '' }] : []),
    ].filter(({ from, to }) => (from === '' || known.has(from)) && known.has(to)),
  };
}

export const connectionId = (node: string, { path }: Connection) => `${node}/${path.join('/')}`;

export function titleOf(title: unknown, language: string): string {
  return isRecord(title) ? textOf(title[language]) : '';
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';

export const numberOf = (value: unknown, usual: number): number =>
  typeof value === 'number' ? value : usual;
