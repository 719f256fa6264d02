// The model of a process diagram: nodes and edges with their state. Positions come from layout.ts.

/** The kinds of nodes in a process definition. */
export const nodeKinds = [
  'start',
  'stage',
  'external',
  'saga',
  'timer',
  'review',
  'exclusive',
  'fork',
  'join',
  'end',
  'call',
] as const;

/** A kind of the definition, or the synthetic node where edges start that are possible anywhere. */
export type NodeKind = (typeof nodeKinds)[number] | 'anywhere';

/**
 * The state of a node for the case: idle (not reached), done (left), active (running), asks (a
 * reviewer or the submitter has to act), waits (a timer, or a join waiting for its branches),
 * failed (an open incident).
 */
export type NodeState = 'idle' | 'done' | 'active' | 'asks' | 'waits' | 'failed';

export interface DiagramNode {
  id: string;
  kind: NodeKind;
  label: string;
  /** The node that calls the process to which this node belongs. */
  within?: string;
  state?: NodeState;
  /** A note under the label: queue, and number of visits. */
  note?: string | undefined;
  /** How long before a deadline people are reminded, such as 4h, 1h. */
  reminders?: string;
  /** The positions of the node on a traced path, from 1. */
  steps?: number[];
  /** The node with the fault. */
  fault?: boolean;
  /** The node is the one whose form is shown. */
  selected?: boolean;
  /** Arrows can be drawn from the node. */
  connects?: boolean;
  /** What an editor did to the node. */
  change?: 'added' | 'changed' | undefined;
  /** The shade of a heat map, from 0 to 4; the note says the same in words. */
  heat?: number;
}

export type EdgeKind =
  | 'next'
  | 'outcome'
  | 'verdict'
  | 'return'
  | 'branch'
  | 'default'
  | 'timeout'
  | 'error'
  | 'abandon';

export interface DiagramEdge {
  id: string;
  from: string;
  to: string;
  kind: EdgeKind;
  /** A short text on the edge. */
  label?: string | undefined;
  /** The full text, if the label is shortened. */
  title?: string | undefined;
  /** The edge is part of a traced path. */
  marked?: boolean;
}

export interface Diagram {
  nodes: readonly DiagramNode[];
  lines: readonly DiagramEdge[];
}

export interface Point {
  x: number;
  y: number;
}

/** The positions of all parts, in pixels at the diagram's own size. */
export interface Layout {
  width: number;
  height: number;
  /** The frames around called processes, by the node that calls. */
  frames: ReadonlyMap<string, Point & { width: number; height: number }>;
  nodes: ReadonlyMap<string, Point & { width: number; height: number }>;
  lines: ReadonlyMap<
    string,
    { points: Point[]; label?: Point & { width: number; height: number } }
  >;
}

const smallKinds: ReadonlySet<NodeKind> = new Set([
  'start',
  'end',
  'anywhere',
  'fork',
  'join',
  'timer',
]);

/**
 * The size of a node. It depends only on its kind, so that a changed state does not change the
 * layout.
 */
export function sizeOf(node: Pick<DiagramNode, 'kind'>): { width: number; height: number } {
  return smallKinds.has(node.kind) ? { width: 172, height: 42 } : { width: 188, height: 62 };
}

/** The approximate width of a label in pixels; wide characters count twice. */
export function widthOf(label: string): number {
  let units = 0;
  for (const letter of label) units += letter > '⺀' ? 1.9 : 1;
  return Math.ceil(units * 6.9) + 10;
}

/** The parts of a diagram that determine its layout. */
export function shapeOf(diagram: Diagram): string {
  const nodes = diagram.nodes.map(({ id, kind, within = '' }) => `${within}>${id}:${kind}`);
  const lines = diagram.lines.map(
    ({ id, from, to, label }) => `${id}:${from}>${to}:${label ?? ''}`,
  );
  return [...nodes, '', ...lines].join('\n');
}

/** The edge as an SVG path with rounded corners. */
export function pathOf(points: readonly Point[], radius = 8): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${first.x},${first.y}`;
  let before = first;
  rest.forEach((here, index) => {
    const after = rest[index + 1];
    if (!after) {
      path += `L${here.x},${here.y}`;
      return;
    }
    const enter = towards(here, before, radius);
    const leave = towards(here, after, radius);
    path += `L${enter.x},${enter.y}Q${here.x},${here.y} ${leave.x},${leave.y}`;
    before = here;
  });
  return path;
}

/** The point at the given distance from one point towards another, at most half the way. */
function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length === 0) return from;
  const share = Math.min(distance / length, 0.5);
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

/** Shortens the condition of an edge; the title has the full text. */
export function shortened(text: string, longest = 26): string {
  return text.length > longest ? `${text.slice(0, longest - 1).trimEnd()}…` : text;
}
