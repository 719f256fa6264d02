// A process as it is drawn: nodes and lines with what happened to them. Pure: places come from layout.ts.

export type NodeKind =
  | 'start'
  | 'stage'
  | 'external'
  | 'saga'
  | 'timer'
  | 'review'
  | 'exclusive'
  | 'fork'
  | 'join'
  | 'end'
  | 'anywhere';

/**
 * What a node is to the case that is shown: idle (not reached), done (was there and left), active (works now), asks
 * (a person or the submitter is asked now), waits (a join that waits for its other ways), failed (an incident stands).
 */
export type NodeState = 'idle' | 'done' | 'active' | 'asks' | 'waits' | 'failed';

export interface DiagramNode {
  id: string;
  kind: NodeKind;
  label: string;
  state?: NodeState;
  /** Small words under the label: who works there, how often it was entered. */
  note?: string | undefined;
  /** Places of the node on a path that is told step by step, from 1. */
  steps?: number[];
  /** The node that a fault is about. */
  fault?: boolean;
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
  /** Short words on the line. */
  label?: string | undefined;
  /** The whole of it, where the label is shortened. */
  title?: string | undefined;
  /** The line is part of what is told. */
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

/** Where everything lies, in pixels of the drawing at its own size. */
export interface Layout {
  width: number;
  height: number;
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

/** The size that a node takes; all nodes of a kind are alike, so that a drawing stays when only states change. */
export function sizeOf(node: Pick<DiagramNode, 'kind'>): { width: number; height: number } {
  return smallKinds.has(node.kind) ? { width: 172, height: 42 } : { width: 188, height: 62 };
}

/** About how wide a label is, in pixels: wide letters count twice. */
export function widthOf(label: string): number {
  let units = 0;
  for (const letter of label) units += letter > '⺀' ? 1.9 : 1;
  return Math.ceil(units * 6.9) + 10;
}

/** What of a drawing decides where its parts lie. */
export function shapeOf(diagram: Diagram): string {
  const nodes = diagram.nodes.map(({ id, kind }) => `${id}:${kind}`);
  const lines = diagram.lines.map(
    ({ id, from, to, label }) => `${id}:${from}>${to}:${label ?? ''}`,
  );
  return [...nodes, '', ...lines].join('\n');
}

/** The line as an SVG path with rounded corners. */
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

/** The point on the way from one to the other that lies so far off, at most half the way. */
function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length === 0) return from;
  const share = Math.min(distance / length, 0.5);
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

/** Words for a guard on a line: what is longer is cut, the whole is in the title. */
export function shortened(text: string, longest = 26): string {
  return text.length > longest ? `${text.slice(0, longest - 1).trimEnd()}…` : text;
}
