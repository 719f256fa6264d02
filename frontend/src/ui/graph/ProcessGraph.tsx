// The graph of a process, from top to bottom. It has its own size; a wide graph scrolls in a frame.
// Loaded only with a diagram (ui/ProcessDiagram.tsx).
import {
  BaseEdge,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from '@xyflow/react';
import { useTranslation } from 'react-i18next';
import '@xyflow/react/dist/base.css';
import { useMemo } from 'react';
import { Icon, type IconName } from '../Icon';
import {
  type Diagram,
  type DiagramEdge,
  type DiagramNode,
  type Layout,
  type NodeKind,
  type NodeState,
  pathOf,
} from './drawing';
import { EditLayer } from './EditLayer';
import type { DiagramEdit } from './edit';
import classes from './graph.module.css';

const kindIcons: Record<NodeKind, IconName> = {
  start: 'inbox',
  stage: 'gear',
  external: 'link',
  saga: 'flow',
  timer: 'clock',
  review: 'eye',
  exclusive: 'flow',
  fork: 'flow',
  join: 'flow',
  end: 'box',
  call: 'flow',
  anywhere: 'cross',
};

const stateIcons: Record<NodeState, IconName | null> = {
  idle: null,
  done: 'check',
  active: 'spin',
  asks: 'person',
  waits: 'clock',
  failed: 'alert',
};

type FlowNode = Node<
  {
    node: DiagramNode;
    size: { width: number; height: number };
    onSelect: ((id: string) => void) | undefined;
  },
  'step'
>;
type FrameNode = Node<{ label: string; size: { width: number; height: number } }, 'frame'>;
type FlowEdge = Edge<
  { line: DiagramEdge; position: NonNullable<ReturnType<Layout['lines']['get']>> },
  'edge'
>;

function StepNode({ data: { node, size, onSelect } }: NodeProps<FlowNode>) {
  const { t } = useTranslation();
  const state = node.state ?? 'idle';
  const mark = stateIcons[state];
  return (
    <div
      className={classes.node}
      data-kind={node.kind}
      data-state={state}
      data-fault={node.fault ? 'yes' : undefined}
      data-heat={node.heat}
      data-node={node.id}
      data-selected={node.selected ? 'yes' : undefined}
      data-change={node.change}
      style={size}
    >
      {onSelect && node.kind !== 'anywhere' && (
        <button
          type="button"
          className={classes.select}
          aria-label={t('ui.graph.select', { name: node.label })}
          aria-pressed={node.selected ?? false}
          aria-keyshortcuts={node.connects ? 'c' : undefined}
          onClick={() => onSelect(node.id)}
        />
      )}
      {node.connects && <span className={classes.connector} data-handle="" />}
      <Handle
        type="target"
        position={Position.Top}
        className={classes.handle}
        isConnectable={false}
      />
      <span className={classes.icon}>
        <Icon name={mark ?? kindIcons[node.kind]} size={16} spin={mark === 'spin'} />
      </span>
      <span className={classes.text}>
        <span className={classes.label} title={node.label}>
          {node.label}
        </span>
        {node.note && <span className={classes.note}>{node.note}</span>}
        {state !== 'idle' && (
          <span className="cs-visually-hidden">{t(`ui.graph.state.${state}`)}</span>
        )}
      </span>
      {node.reminders && (
        <span className={classes.reminders} title={t('ui.graph.reminders')}>
          <Icon name="clock" size={11} />
          <span className="cs-visually-hidden">{t('ui.graph.reminders')}: </span>
          {node.reminders}
        </span>
      )}
      {node.change && <span className={classes.change}>{t(`ui.graph.change.${node.change}`)}</span>}
      {(node.steps ?? []).length > 0 && (
        <span className={classes.steps}>{node.steps?.join(', ')}</span>
      )}
      <Handle
        type="source"
        position={Position.Bottom}
        className={classes.handle}
        isConnectable={false}
      />
    </div>
  );
}

/** The frame around a called process. */
function Frame({ data: { label, size } }: NodeProps<FrameNode>) {
  return (
    <div className={classes.called} style={size}>
      <span className={classes.calledLabel}>{label}</span>
    </div>
  );
}

function FlowEdgeView({ id, data, markerEnd }: EdgeProps<FlowEdge>) {
  if (!data) return null;
  const { line, position } = data;
  return (
    <>
      <BaseEdge
        id={id}
        path={pathOf(position.points)}
        {...(markerEnd !== undefined && { markerEnd })}
        className={`${classes.line} ${line.marked ? classes.marked : ''} ${dashed.has(line.kind) ? classes.dashed : ''}`}
      />
      {line.label && position.label && (
        <EdgeLabelRenderer>
          <div
            className={classes.lineLabel}
            data-marked={line.marked ? 'yes' : undefined}
            title={line.title ?? line.label}
            style={{
              transform: `translate(${position.label.x}px, ${position.label.y}px)`,
              width: position.label.width,
              height: position.label.height,
            }}
          >
            {line.label}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

const dashed = new Set(['return', 'timeout', 'error', 'abandon']);
const nodeTypes = { step: StepNode, frame: Frame };
const edgeTypes = { edge: FlowEdgeView };

interface ProcessGraphProps {
  diagram: Diagram;
  layout: Layout;
  zoom: number;
  /** Makes the nodes buttons. */
  onSelect?: ((id: string) => void) | undefined;
  edit?: DiagramEdit | undefined;
}

export function ProcessGraph({ diagram, layout, zoom, onSelect, edit }: ProcessGraphProps) {
  const nodes = useMemo<FlowNode[]>(
    () =>
      diagram.nodes.flatMap((node) => {
        const position = layout.nodes.get(node.id);
        if (!position) return [];
        const size = { width: position.width, height: position.height };
        return [
          {
            id: node.id,
            type: 'step' as const,
            position: { x: position.x, y: position.y },
            data: { node, size, onSelect },
            ...size,
          },
        ];
      }),
    [diagram.nodes, layout, onSelect],
  );
  const frames = useMemo<FrameNode[]>(
    () =>
      [...layout.frames].map(([id, { x, y, ...size }]) => ({
        id: `frame ${id}`,
        type: 'frame' as const,
        position: { x, y },
        zIndex: -1,
        data: { label: diagram.nodes.find((node) => node.id === id)?.label ?? id, size },
        ...size,
      })),
    [diagram.nodes, layout],
  );
  const edges = useMemo<FlowEdge[]>(
    () =>
      diagram.lines.flatMap((line) => {
        const position = layout.lines.get(line.id);
        if (!position) return [];
        return [
          {
            id: line.id,
            type: 'edge' as const,
            source: line.from,
            target: line.to,
            data: { line, position },
            zIndex: line.marked ? 1 : 0,
            markerEnd: {
              type: MarkerType.ArrowClosed,
              width: 14,
              height: 14,
              color: line.marked ? 'var(--cs-bad)' : 'var(--cs-graph-line)',
            },
          },
        ];
      }),
    [diagram.lines, layout],
  );
  return (
    <div
      className={classes.canvas}
      style={{ width: layout.width * zoom, height: layout.height * zoom }}
    >
      <ReactFlow
        key={zoom}
        nodes={[...frames, ...nodes]}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        defaultViewport={{ x: 0, y: 0, zoom }}
        minZoom={0.2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        panOnDrag={false}
        panOnScroll={false}
        zoomOnScroll={false}
        zoomOnPinch={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        disableKeyboardA11y
      />
      {edit && <EditLayer {...{ diagram, layout, zoom, edit }} />}
    </div>
  );
}
