// Over a drawing: the ends of its arrows, which can be dragged, and what is being dragged.
import { useCallback, useState } from 'react';
import { type Diagram, type Layout, type Point, pathOf } from './drawing';
import { type DiagramEdit, type Drag, dropsOnNode } from './edit';
import classes from './graph.module.css';
import { useDrag } from './use-drag';

interface EditLayerProps {
  diagram: Diagram;
  layout: Layout;
  zoom: number;
  edit: DiagramEdit;
}

export function EditLayer({ diagram, layout, zoom, edit }: EditLayerProps) {
  const [canvas, setCanvas] = useState<HTMLElement | null>(null);
  const attach = useCallback(
    (layer: HTMLElement | null) => setCanvas(layer?.parentElement ?? null),
    [],
  );
  const state = useDrag(canvas && { canvas, layout, zoom, edit });
  const selected = diagram.nodes.find((node) => node.selected)?.id;
  return (
    <div
      ref={attach}
      className={classes.edit}
      style={{ transform: `scale(${zoom})` }}
      data-dragging={state ? state.drag.kind : undefined}
    >
      {diagram.lines.map(({ id, from }) => {
        const end = gripOf(layout.lines.get(id)?.points ?? []);
        return (
          end && (
            <span
              key={id}
              className={classes.grip}
              data-grip={id}
              data-shown={from === selected ? 'yes' : undefined}
              style={{ left: end.x, top: end.y }}
            />
          )
        );
      })}
      {state && (
        <>
          <svg className={classes.ghost} width={layout.width} height={layout.height} aria-hidden>
            <Ghost {...{ layout, ...state }} />
          </svg>
          <output
            className={classes.hint}
            style={{ left: state.at.x + 14, top: state.at.y + 14 }}
            data-target={state.target ?? undefined}
          >
            {edit.describe(state.drag, state.target)}
          </output>
        </>
      )}
    </div>
  );
}

/** Where the end of an arrow is held: on its head, above the node. */
function gripOf(points: readonly Point[]): Point | null {
  const [before, end] = points.slice(-2);
  if (!before || !end) return null;
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const back = Math.min(7, length / 2);
  return {
    x: end.x + ((before.x - end.x) * back) / length,
    y: end.y + ((before.y - end.y) * back) / length,
  };
}

interface GhostProps {
  layout: Layout;
  drag: Drag;
  at: Point;
  target: string | null;
}

/** The arrow or node that is being dragged, and where it would be dropped. */
function Ghost({ layout, drag, at, target }: GhostProps) {
  const node = dropsOnNode(drag) && target !== null ? layout.nodes.get(target) : undefined;
  const line = !dropsOnNode(drag) && target !== null ? layout.lines.get(target) : undefined;
  const start = startOf(layout, drag);
  return (
    <>
      {node && (
        <rect
          className={classes.drop}
          x={node.x - 4}
          y={node.y - 4}
          width={node.width + 8}
          height={node.height + 8}
          rx={10}
        />
      )}
      {line && <path className={classes.drop} d={pathOf(line.points)} />}
      {start ? (
        <path className={classes.pull} d={`M${start.x},${start.y}L${at.x},${at.y}`} />
      ) : (
        <rect className={classes.pull} x={at.x - 40} y={at.y - 16} width={80} height={32} rx={8} />
      )}
    </>
  );
}

/** Where a dragged arrow begins; null for a node. */
function startOf(layout: Layout, drag: Drag): Point | null {
  if (drag.kind === 'retarget') return layout.lines.get(drag.line)?.points[0] ?? null;
  const node = drag.kind === 'connect' ? layout.nodes.get(drag.from) : undefined;
  return node ? { x: node.x + node.width / 2, y: node.y + node.height } : null;
}
