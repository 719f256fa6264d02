// The steps of a case as a line. Staff see the steps of the case's own process version: those that
// ran, those that run now, and those that every way to the successful end still passes. Submitters
// see the steps of that version by the events that they may read, with all reviews as one. Lists of
// uploads have a short line that needs no definition.

import { type DocumentState, finalStates } from './document-states';
import type { DocumentStatus } from './document-status';

/** `asked` is a review that waits for the answer of the submitter. */
export type Mark = 'done' | 'now' | 'trouble' | 'asked' | 'todo';

interface LineNode {
  id: string;
  kind: string;
  status?: string | null | undefined;
}

interface LineGraph<TNode extends LineNode> {
  nodes: readonly TNode[];
  lines: readonly { from: string; to: string; kind: string; label: string }[];
}

interface LinePosition {
  tokens: readonly { node: string; visit: number }[];
  visits: readonly { node: string; visit: number }[];
  /** The node of the open incident. */
  failed: string | null;
  /** The node where the case continues after the submitter's answer. */
  returnsTo: string | null;
}

export interface LifeStep<TNode> {
  node: TNode;
  mark: Mark;
  /** How often the case has entered the node. */
  visits: number;
}

/** The kinds of nodes that do work or wait; gateways only route. */
const stepKinds = ['stage', 'external', 'saga', 'timer', 'review', 'end'];

/** The lines that a case takes when no step fails and no review rejects it. */
function isForward({ kind, label }: { kind: string; label: string }): boolean {
  if (kind === 'VERDICT') return label !== 'reject';
  return ['NEXT', 'OUTCOME', 'BRANCH', 'DEFAULT'].includes(kind);
}

/** The nodes that forward lines reach from the node, without passing the omitted one. */
function reachable(next: Map<string, string[]>, from: string, omitted: string): Set<string> {
  const found = new Set<string>();
  const open = [from];
  while (open.length > 0) {
    const node = open.pop() as string;
    for (const to of next.get(node) ?? []) {
      if (to === omitted || found.has(to)) continue;
      found.add(to);
      open.push(to);
    }
  }
  return found;
}

/** The nodes that every way from the node to the successful end passes, with that end. */
function certainAfter<TNode extends LineNode>(graph: LineGraph<TNode>, from: string): string[] {
  const next = new Map<string, string[]>();
  for (const line of graph.lines.filter(isForward))
    next.set(line.from, [...(next.get(line.from) ?? []), line.to]);
  const all = reachable(next, from, '');
  const end = graph.nodes.find(
    ({ id, kind, status }) => kind === 'end' && status === 'ARCHIVED' && all.has(id),
  );
  if (!end) return [];
  return [...all].filter((id) => id === end.id || !reachable(next, from, id).has(end.id));
}

/** The line of a case for people who see its position, in the order of the definition. */
export function lifeLine<TNode extends LineNode>(
  graph: LineGraph<TNode>,
  position: LinePosition,
): LifeStep<TNode>[] {
  const visits = new Map(position.visits.map(({ node, visit }) => [node, visit]));
  const active = new Set(position.tokens.map(({ node }) => node));
  if (position.failed !== null) active.add(position.failed);
  const coming = new Set([...active].flatMap((node) => certainAfter(graph, node)));
  if (position.returnsTo !== null) {
    coming.add(position.returnsTo);
    for (const node of certainAfter(graph, position.returnsTo)) coming.add(node);
  }
  return graph.nodes.flatMap((node) => {
    if (!stepKinds.includes(node.kind)) return [];
    const mark = markOf(node.id);
    return mark ? [{ node, mark, visits: visits.get(node.id) ?? 0 }] : [];
  });

  function markOf(id: string): Mark | null {
    if (id === position.failed) return 'trouble';
    if (active.has(id)) return 'now';
    if (coming.has(id)) return 'todo';
    return visits.has(id) ? 'done' : null;
  }
}

/** The steps that another one replaced because the time limit of their last visit had passed. */
export function lateSteps(
  graph: LineGraph<LineNode>,
  visits: readonly { node: string; visit: number }[],
  events: readonly PublicEvent[],
): Set<string> {
  const last = new Map(visits.map(({ node, visit }) => [node, visit]));
  const late = new Set<string>();
  for (const { type, body } of events) {
    const { node = '', visit } = (body ?? {}) as { node?: string; visit?: number };
    if (type === 'work.timed_out' && last.get(node) === visit) late.add(node);
  }
  // A committee with enough votes decides when its time limit passes, and takes another line.
  const replaced = graph.lines.filter(({ kind, to }) => kind === 'TIMEOUT' && last.has(to));
  return new Set(replaced.map(({ from }) => from).filter((from) => late.has(from)));
}

interface PublicEvent {
  type: string;
  body: unknown;
}

/** A step of the line of a submitter; its node is null for the step of all reviews. */
export interface PublicStep<TNode> {
  node: TNode | null;
  mark: Mark;
}

const workKinds = ['stage', 'external', 'saga', 'timer'];

/** The events of steps without a review, in order, with their nodes. */
function stepsOf(events: readonly PublicEvent[]) {
  return events.flatMap(({ type, body }) => {
    const node = (body as { node?: unknown } | null)?.node;
    const isStep = /^(stage|saga|timer)\./.test(type);
    return isStep && typeof node === 'string' ? [{ type, node }] : [];
  });
}

/**
 * The line of a case for submitters: the steps that ran, the one that runs, and those that every way from it
 * passes. Every review is the same step, at the place of the first in the definition, because its queue
 * and level may be confidential. The line depends on the definition and on public events only.
 */
export function publicLine<TNode extends LineNode>(
  graph: LineGraph<TNode>,
  events: readonly PublicEvent[],
  status: DocumentStatus,
): PublicStep<TNode>[] {
  const steps = stepsOf(events);
  const last = steps.at(-1);
  const start = graph.nodes.find(({ kind }) => kind === 'start')?.id ?? '';
  const coming = new Set(
    finalStates.includes(status.state) ? [] : certainAfter(graph, last?.node ?? start),
  );
  const ran = new Set(steps.map(({ node }) => node));
  const firstReview = graph.nodes.find(({ kind }) => kind === 'review');
  return graph.nodes.flatMap((node): PublicStep<TNode>[] => {
    if (node === firstReview) return [{ node: null, mark: reviewMark(status.state) }];
    if (node.kind === 'end') return endMark(node);
    if (!workKinds.includes(node.kind)) return [];
    if (node.id === last?.node) return [{ node, mark: lastMark(last.type) }];
    if (coming.has(node.id)) return [{ node, mark: 'todo' }];
    return ran.has(node.id) ? [{ node, mark: 'done' }] : [];
  });

  function lastMark(type: string): Mark {
    if (status.state === 'incident') return 'trouble';
    if (type === 'stage.retrying' || status.repairing) return 'trouble';
    const ended = ['stage.completed', 'timer.fired'].includes(type);
    return ended || !working.includes(status.state) ? 'done' : 'now';
  }

  function endMark(node: TNode): PublicStep<TNode>[] {
    if (node.status?.toLowerCase() === status.state) return [{ node, mark: 'done' }];
    return coming.has(node.id) ? [{ node, mark: 'todo' }] : [];
  }
}

/** The states in which a step without a review can run. */
const working = ['received', 'processing', 'approved', 'settling'];

/** The stages that every submitter knows. */
const knownStages = ['read', 'extract', 'validate', 'assess'] as const;

export type ShortStep = 'uploaded' | (typeof knownStages)[number] | 'review' | 'archived';

const pastReview = ['approved', 'settling', 'archived', 'rejected'];

/**
 * The line of a case for submitters: the known stages that ran or run, the review as one step
 * whatever its queue and level, and the end.
 */
export function shortLine(status: DocumentStatus): { step: ShortStep; mark: Mark }[] {
  const { state, stage, done } = status;
  const stages = knownStages.flatMap((step): { step: ShortStep; mark: Mark }[] => {
    if (state === 'incident' && status.failed === step) return [{ step, mark: 'trouble' }];
    if (stage === step)
      return [{ step, mark: status.retrying || status.repairing ? 'trouble' : 'now' }];
    return done.includes(step) ? [{ step, mark: 'done' }] : [];
  });
  return [
    { step: 'uploaded', mark: 'done' },
    ...stages,
    { step: 'review', mark: reviewMark(state) },
    {
      step: 'archived',
      mark: state === 'archived' ? 'done' : stage === 'archive' ? 'now' : 'todo',
    },
  ];
}

function reviewMark(state: DocumentState): Mark {
  if (state === 'in_review') return 'now';
  if (state === 'returned') return 'asked';
  return pastReview.includes(state) ? 'done' : 'todo';
}
