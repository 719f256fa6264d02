// What is at a point of a drawing, and which node is next to another. Points are in the pixels of
// the layout.
import type { Layout, Point } from './drawing';

/** The node at the point, with a margin around it. */
export function nodeAt(layout: Layout, { x, y }: Point, margin = 6): string | null {
  for (const [id, node] of layout.nodes)
    if (
      x >= node.x - margin &&
      x <= node.x + node.width + margin &&
      y >= node.y - margin &&
      y <= node.y + node.height + margin
    )
      return id;
  return null;
}

/** The edge that is nearest to the point, of those that may be chosen; null if none is near. */
export function lineAt(
  layout: Layout,
  point: Point,
  mayChoose: (id: string) => boolean,
  reach = 16,
): string | null {
  let nearest: string | null = null;
  let least = reach;
  for (const [id, { points, label }] of layout.lines) {
    if (!mayChoose(id)) continue;
    const onLabel =
      label !== undefined &&
      Math.abs(point.x - label.x - label.width / 2) <= label.width / 2 &&
      Math.abs(point.y - label.y - label.height / 2) <= label.height / 2;
    const distance = onLabel ? 0 : distanceTo(points, point);
    if (distance < least) [nearest, least] = [id, distance];
  }
  return nearest;
}

function distanceTo(points: readonly Point[], point: Point): number {
  return points.slice(1).reduce((least, end, index) => {
    const start = points[index] ?? end;
    const [dx, dy] = [end.x - start.x, end.y - start.y];
    const length = dx * dx + dy * dy;
    const along = length === 0 ? 0 : ((point.x - start.x) * dx + (point.y - start.y) * dy) / length;
    const share = Math.min(1, Math.max(0, along));
    return Math.min(
      least,
      Math.hypot(point.x - start.x - share * dx, point.y - start.y - share * dy),
    );
  }, Number.POSITIVE_INFINITY);
}

const directions = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
} as const;

/** An arrow key. */
export type Direction = keyof typeof directions;

/** Whether a key is an arrow key. */
export const isDirection = (key: string): key is Direction => key in directions;

/** The next node in a direction, of those that may be chosen; null if there is none. */
export function neighbour(
  layout: Layout,
  from: string,
  direction: Direction,
  mayChoose: (id: string) => boolean,
): string | null {
  const start = centreOf(layout, from);
  if (!start) return null;
  const [right, down] = directions[direction];
  let nearest: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const id of layout.nodes.keys()) {
    const centre = centreOf(layout, id);
    if (id === from || !centre || !mayChoose(id)) continue;
    const [dx, dy] = [centre.x - start.x, centre.y - start.y];
    const ahead = dx * right + dy * down;
    const aside = Math.abs(dx * down) + Math.abs(dy * right);
    // Nodes of one row differ by a few pixels in height.
    if (ahead > 8 && ahead + 2 * aside < least) [nearest, least] = [id, ahead + 2 * aside];
  }
  return nearest;
}

/** The middle of a node. */
export function centreOf(layout: Layout, id: string): Point | null {
  const node = layout.nodes.get(id);
  return node ? { x: node.x + node.width / 2, y: node.y + node.height / 2 } : null;
}
