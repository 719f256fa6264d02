// Adds, connects, moves and removes nodes of a process in its text.

import { isInBranch } from './branches';
import { type CallableProcess, callOf, refusalOf } from './call';
import {
  type Connection,
  connectionsOf,
  type Design,
  type DesignNode,
  isRecord,
  listOf,
  readDesign,
  reEntryOf,
  textOf,
} from './design';
import { insertIn, type Path, setIn } from './edit-text';

/** The order in which attributes of a node are written. */
const nodeOrder = [
  ...['id', 'kind', 'title', 'process', 'behaviour', 'topic', 'queue', 'queue_for'],
  ...['level', 'duty', 'seats'],
  ...['quorum', 'decide_by', 'abstain', 'votes'],
  ...['chair_queue', 'chair_level', 'veto_queue', 'veto_level'],
  ...['claim_within', 'overdue', 'decide_within', 'remind', 'escalate_to', 'escalate_level'],
  ...['skills', 'undo', 'signature_above', 'bulk', 'lease', 'pays', 'required', 'waits_for_budget'],
  ...['attempts', 'backoff', 'status', 'outcome', 'after', 'steps', 'branches', 'default', 'to'],
  ...['next', 'on', 'timeout', 'errors'],
] as const;

const headerOrder = [
  ...['key', 'version', 'title', 'callable', 'document_types', 'has_amount', 'key_facts'],
  ...['needs', 'order'],
  ...['re_enter', 'on_replace', 'on_enter', 'on_abandon', 'remind_submitter', 'reopen'],
  ...['attributes', 'documents', 'nodes'],
  ...['name', 'type', 'label', 'required', 'choices', 'max_length', 'pattern', 'currency'],
  ...['kind', 'max'],
] as const;

/** The kinds of nodes that can be added. A start exists in each process. */
export const addableKinds = [
  'review',
  'exclusive',
  'merge',
  'parallel',
  'stage',
  'external',
  'saga',
  'timer',
  'call',
  'end',
] as const;
export type AddableKind = (typeof addableKinds)[number];

/** Sets an attribute of a node; undefined removes it. */
export function setAttribute(text: string, node: DesignNode, path: Path, value: unknown): string {
  return setIn(text, ['nodes', node.index, ...path], value, nodeOrder);
}

/** Sets an attribute of the process; undefined removes it. */
export function setHeader(text: string, path: Path, value: unknown): string {
  return setIn(text, path, value, headerOrder);
}

/** Leads a connection to another node. */
export function connect(text: string, node: DesignNode, { path }: Connection, to: string): string {
  return setAttribute(text, node, path, to);
}

/** Lets a verdict or outcome withdraw all other open work, or not. */
export function setCancelsAll(
  text: string,
  node: DesignNode,
  { path, to }: Connection,
  cancels: boolean,
): string {
  const target = path.at(-1) === 'to' ? path.slice(0, -1) : path;
  return setAttribute(text, node, target, cancels ? { to, cancel: 'all' } : to);
}

/** Adds a branch to an exclusive or parallel gateway, before its default. */
export function addBranch(text: string, node: DesignNode, to: string, when: string): string {
  if (node.kind === 'fork')
    return insertIn(text, ['nodes', node.index, 'to'], listOf(node.attributes.to).length, to);
  const branches = listOf(node.attributes.branches);
  if (branches.length === 0) return setAttribute(text, node, ['branches'], [{ when, to }]);
  return insertIn(text, ['nodes', node.index, 'branches'], branches.length, { when, to });
}

/** Adds a connection for failures: with codes before the one for all others, otherwise that one. */
export function addError(text: string, node: DesignNode, to: string): string {
  const errors = listOf(node.attributes.errors);
  if (errors.length === 0) return setAttribute(text, node, ['errors'], [{ to }]);
  const last = errors.findIndex((one) => !isRecord(one) || one.codes === undefined);
  if (last < 0) return setAttribute(text, node, ['errors', errors.length], { to });
  return insertIn(text, ['nodes', node.index, 'errors'], last, { codes: ['DamagedFile'], to });
}

/** Sets the codes of failures that a connection catches; none: all other failures. */
export function setCodes(text: string, node: DesignNode, index: number, codes: string): string {
  const list = codes.split(/[,，、\s]+/).filter((code) => code !== '');
  return setAttribute(text, node, ['errors', index, 'codes'], list.length > 0 ? list : undefined);
}

export interface Added {
  text: string;
  /** The id of the node to select. */
  id: string;
}

/** Inserts a node of the kind into a connection; a call calls the process. */
export function addNode(
  text: string,
  design: Design,
  from: DesignNode,
  connection: Connection,
  kind: AddableKind,
  called?: CallableProcess,
): Added {
  const ids = new Set(design.nodes.map(({ id }) => id));
  const target = connection.to || reEntryOf(design);
  const nodes = newNodes(design, ids, kind, target, called, from);
  const first = nodes[0];
  if (!first) return { text, id: from.id };
  // From the last to the first, so that each insertion leaves the positions before it as they are.
  let changed = text;
  for (const node of [...nodes].reverse())
    changed = insertIn(changed, ['nodes'], from.index + 1, node);
  return { text: connect(changed, from, connection, first.id), id: first.id };
}

type NewNode = { id: string; kind: string } & Record<string, unknown>;

function newNodes(
  design: Design,
  ids: Set<string>,
  kind: AddableKind,
  target: string,
  called: CallableProcess | undefined,
  from: DesignNode,
): NewNode[] {
  const id = (base: string) => freeId(ids, base);
  switch (kind) {
    case 'review': {
      const review = id('review');
      const rejected = rejectedSeal(design, ids);
      return [
        newReview(
          design,
          review,
          { en: 'Review', zh: '审核' },
          target,
          // Otherwise the case would end while the reviews of other branches are open.
          isInBranch(design, from) ? { to: rejected.id, cancel: 'all' } : rejected.id,
        ),
        ...rejected.nodes,
      ];
    }
    case 'exclusive':
      return [
        {
          id: id('choice'),
          kind: 'exclusive',
          title: { en: 'Which way?', zh: '走哪条路线？' },
          default: target,
        },
      ];
    case 'merge':
      return [
        {
          id: id('merge'),
          kind: 'exclusive',
          title: { en: 'Routes meet', zh: '路线汇合' },
          default: target,
        },
      ];
    case 'parallel':
      return parallelReviews(design, ids, target);
    case 'stage':
      return [
        {
          id: id('stage'),
          kind: 'stage',
          title: { en: 'Validate fields', zh: '校验字段' },
          behaviour: 'validate',
          next: target,
        },
      ];
    case 'external':
      return [
        {
          id: id('external'),
          kind: 'external',
          title: { en: 'External system', zh: '外部系统' },
          topic: 'external_check',
          pays: false,
          next: target,
        },
      ];
    case 'saga': {
      const undone = rejectedSeal(design, ids);
      return [
        {
          id: id('saga'),
          kind: 'saga',
          title: { en: 'Call other systems', zh: '调用其他系统' },
          steps: [{ id: 'call_1', call: 'system.operation' }],
          on: { done: target, undone: undone.id },
        },
        ...undone.nodes,
      ];
    }
    case 'timer':
      return [
        {
          id: id('wait'),
          kind: 'timer',
          title: { en: 'Wait', zh: '等待' },
          after: '24h',
          next: target,
        },
      ];
    case 'call':
      return called
        ? [{ id: id(called.key), kind: 'call', ...callOf(called, target, refusalOf(design)) }]
        : [];
    case 'end':
      return design.header.callable === true ? [{ id: id('ended'), kind: 'end' }] : sealAndEnd(ids);
  }
}

/** A stage that closes the case as rejected, and its end. */
function sealAndEnd(ids: Set<string>): NewNode[] {
  const end = freeId(ids, 'rejected');
  return [
    {
      id: freeId(ids, 'seal_rejected'),
      kind: 'stage',
      title: { en: 'Close as rejected', zh: '结案（已拒绝）' },
      behaviour: 'archive',
      outcome: 'rejected',
      next: end,
    },
    { id: end, kind: 'end', status: 'rejected' },
  ];
}

/** Where a rejected case goes: the stage that exists, or new nodes. */
function rejectedSeal(design: Design, ids: Set<string>): { id: string; nodes: NewNode[] } {
  const existing = design.nodes.find(({ attributes }) => attributes.outcome === 'rejected');
  if (existing) return { id: existing.id, nodes: [] };
  const nodes = sealAndEnd(ids);
  return { id: nodes[0]?.id ?? '', nodes };
}

/** Two reviews at the same time, and the join that waits for both. A rejection withdraws the other. */
function parallelReviews(design: Design, ids: Set<string>, target: string): NewNode[] {
  const fork = freeId(ids, 'parallel');
  const join = freeId(ids, 'join');
  const reviews = [freeId(ids, 'review'), freeId(ids, 'review')];
  const rejected = rejectedSeal(design, ids);
  return [
    { id: fork, kind: 'fork', title: { en: 'At the same time', zh: '同时进行' }, to: reviews },
    // Of one duty, so that two people decide; another one is chosen in the form.
    ...reviews.map((id, index) =>
      newReview(design, id, { en: `Review ${index + 1}`, zh: `审核 ${index + 1}` }, join, {
        to: rejected.id,
        cancel: 'all',
      }),
    ),
    { id: join, kind: 'join', title: { en: 'Both finished', zh: '全部完成' }, next: target },
    ...rejected.nodes,
  ];
}

function newReview(
  design: Design,
  id: string,
  title: Record<string, string>,
  approve: string,
  reject: string | { to: string; cancel: 'all' },
): NewNode {
  return {
    id,
    kind: 'review',
    title,
    queue: 'L1',
    level: 1,
    claim_within: '2h',
    decide_within: '24h',
    on: { approve, reject, return: reEntryOf(design) },
  };
}

/** An id that no node has, and takes it. */
function freeId(ids: Set<string>, base: string): string {
  let id = base;
  for (let number = 2; ids.has(id); number++) id = `${base}_${number}`;
  ids.add(id);
  return id;
}

/** Where a case goes that passes the node: the first of its onward connections. */
export function successorOf(node: DesignNode): string {
  const connections = connectionsOf(node);
  const onward = connections.find(
    ({ kind, label }) => kind === 'next' || kind === 'default' || label === 'approve',
  );
  return (onward ?? connections[0])?.to ?? '';
}

/** Why a node cannot be removed or moved; null if it can. */
export function fixedReason(design: Design, node: DesignNode): 'start' | 'named' | null {
  if (node.kind === 'start') return 'start';
  const { re_enter, on_replace, on_enter, on_abandon } = design.header;
  return [re_enter, on_replace, on_enter, on_abandon].includes(node.id) ? 'named' : null;
}

/** Removes a node; what led to it leads to its successor. */
export function removeNode(text: string, design: Design, node: DesignNode): string {
  const bypassed = bypass(text, design, node);
  return setIn(bypassed, ['nodes', node.index], undefined);
}

/** Leads all connections of other nodes to the node past it. */
function bypass(text: string, design: Design, node: DesignNode): string {
  const successor = successorOf(node);
  let changed = text;
  for (const other of design.nodes) {
    if (other === node) continue;
    for (const connection of connectionsOf(other)) {
      if (connection.to !== node.id || successor === '' || successor === node.id) continue;
      changed = connect(changed, other, connection, successor);
    }
  }
  return changed;
}

/** Takes a node out of its place and puts it into a connection of another node. */
export function moveNode(
  text: string,
  design: Design,
  node: DesignNode,
  from: DesignNode,
  connection: Connection,
): string {
  const past = connectionsOf(node).find(({ to }) => to === successorOf(node));
  if (from === node || !past) return text;
  const bypassed = bypass(text, design, node);
  const read = readDesign(bypassed);
  if (!('design' in read)) return text;
  const [at, moved] = [read.design.nodes[from.index], read.design.nodes[node.index]];
  const now = at && connectionsOf(at).find(({ path }) => path.join() === connection.path.join());
  if (!at || !moved || !now) return text;
  const target = now.to || reEntryOf(read.design);
  const onward = target === node.id ? textOf(past.to) : target;
  return connect(connect(bypassed, moved, past, onward), at, now, node.id);
}
