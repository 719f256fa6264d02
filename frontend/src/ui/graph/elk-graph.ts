// Converts a diagram into ELK's input, and its output into a layout.
import type { ElkNode } from 'elkjs/lib/elk-api.js';
import { type Diagram, type Layout, type Point, sizeOf, widthOf } from './drawing';
import { flowOrder } from './flow-order';

const unordered = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.spacing.nodeNodeBetweenLayers': '34',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeNode': '18',
  'elk.spacing.edgeEdge': '14',
  'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
  'elk.layered.nodePlacement.bk.fixedAlignment': 'BALANCED',
  'elk.layered.feedbackEdges': 'true',
  'elk.padding': '[top=16,left=12,bottom=12,right=16]',
} as const;

const options = {
  ...unordered,
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  // Nodes are ordered along the flow (flow-order.ts), so only what closes a cycle points back, such as a return.
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
} as const;

/**
 * With frames, all positions are those in the whole diagram. ELK 0.12.1 fails if it orders nodes of several
 * frames by the model, so that the priority of a line says which ones may point back.
 */
const framed = {
  ...unordered,
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
} as const;

const framePrefix = 'frame ';

/** The input of ELK for a diagram. */
export function graphFor(diagram: Diagram): ElkNode {
  const byId = new Map(diagram.nodes.map((node) => [node.id, node]));
  const ordered = flowOrder(diagram).flatMap((id) => byId.get(id) ?? []);
  const frames = new Set(diagram.nodes.flatMap(({ within }) => (within ? [within] : [])));
  /** The nodes of a called process, with the node that calls it; the others for ''. */
  const childrenOf = (frame: string): ElkNode[] =>
    ordered.flatMap((node): ElkNode[] => {
      const { id, within = '' } = node;
      const child = {
        id,
        ...sizeOf(node),
        ...(node.kind === 'start' && {
          layoutOptions: { 'elk.layered.layering.layerConstraint': 'FIRST' },
        }),
      };
      if (id === frame) return [child];
      if (within !== frame) return [];
      if (!frames.has(id)) return [child];
      return [
        {
          id: `${framePrefix}${id}`,
          layoutOptions: { ...unordered, 'elk.padding': '[top=34,left=14,bottom=14,right=14]' },
          children: childrenOf(id),
        },
      ];
    });
  return {
    id: 'process',
    layoutOptions: frames.size > 0 ? framed : options,
    children: childrenOf(''),
    edges: diagram.lines
      .filter(({ from, to }) => byId.has(from) && byId.has(to))
      .map((line) => ({
        id: line.id,
        sources: [line.from],
        targets: [line.to],
        ...(frames.size > 0 &&
          line.kind !== 'return' && { layoutOptions: { 'elk.layered.priority.direction': '10' } }),
        ...(line.label && {
          labels: [{ text: line.label, width: widthOf(line.label), height: 18 }],
        }),
      })),
  };
}

/** The layout from ELK's output. */
export function layoutFrom(result: ElkNode): Layout {
  const nodes = new Map<string, Point & { width: number; height: number }>();
  const frames = new Map<string, Point & { width: number; height: number }>();
  const place = ({ id, x = 0, y = 0, width = 0, height = 0, children = [] }: ElkNode) => {
    if (id.startsWith(framePrefix))
      frames.set(id.slice(framePrefix.length), { x, y, width, height });
    else nodes.set(id, { x, y, width, height });
    children.forEach(place);
  };
  (result.children ?? []).forEach(place);
  const lines = new Map<
    string,
    { points: Point[]; label?: Point & { width: number; height: number } }
  >();
  for (const { id, sections, labels } of result.edges ?? []) {
    const points = (sections ?? []).flatMap((part) => [
      part.startPoint,
      ...(part.bendPoints ?? []),
      part.endPoint,
    ]);
    const label = labels?.[0];
    lines.set(id, {
      points,
      ...(label && {
        label: {
          x: label.x ?? 0,
          y: label.y ?? 0,
          width: label.width ?? 0,
          height: label.height ?? 0,
        },
      }),
    });
  }
  return {
    width: Math.ceil(result.width ?? 0),
    height: Math.ceil(result.height ?? 0),
    frames,
    nodes,
    lines,
  };
}
