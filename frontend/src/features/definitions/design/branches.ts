// The branches of forks: what is in one, and where the time limit of a step in one leads.
import { connectionsOf, type Design, type DesignNode, reEntryOf } from './design';

/** The nodes that are reached from nodes before a join, without a return and without withdrawing other work. */
function beforeJoin(design: Design, from: readonly DesignNode[]): ReadonlySet<string> {
  const nodes = new Map(design.nodes.map((one) => [one.id, one]));
  const open = from.flatMap((one) => connectionsOf(one));
  const reached = new Set<string>();
  for (let next = open.pop(); next; next = open.pop()) {
    const one = nodes.get(next.to);
    if (next.kind === 'return' || next.cancelsAll !== false) continue;
    if (!one || one.kind === 'join' || reached.has(one.id)) continue;
    reached.add(one.id);
    open.push(...connectionsOf(one));
  }
  return reached;
}

/** Whether the node is in a branch of a fork, before its join. */
export function isInBranch(design: Design, node: DesignNode): boolean {
  const forks = design.nodes.filter(({ kind }) => kind === 'fork');
  return beforeJoin(design, forks).has(node.id);
}

/**
 * The target of a new time limit: a later review, so that it escalates, otherwise where a rejected case goes. In a
 * branch of a fork only a review before the join, because another one would leave the branch.
 */
export function timeLimitTarget(design: Design, node: DesignNode): string {
  const inBranch = isInBranch(design, node);
  const reached = beforeJoin(design, [node]);
  const later = design.nodes.find(
    ({ id, kind, index }) =>
      kind === 'review' && index > node.index && (!inBranch || reached.has(id)),
  );
  return later?.id ?? rejectedTarget(design);
}

/** Where a rejected case goes. */
export function rejectedTarget(design: Design): string {
  const rejected = design.nodes.find(({ attributes }) => attributes.outcome === 'rejected');
  return rejected?.id ?? reEntryOf(design);
}
