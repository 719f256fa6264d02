// The order in which the layout places nodes: along the flow, and by the text only where the flow leaves it open.
import type { Diagram, DiagramEdge } from './drawing';

/**
 * The ids of the nodes so that each is after the nodes that lead to it, except for connections that close a cycle,
 * such as returns. A text whose order already follows the flow keeps it.
 */
export function flowOrder({ nodes, lines }: Diagram): string[] {
  const ids = nodes.map(({ id }) => id);
  const known = new Set(ids);
  const drawn = lines.filter(({ from, to }) => from !== to && known.has(from) && known.has(to));
  const onward = drawn.filter((line) => line.kind !== 'return' || !closesCycle(drawn, line));
  const forward = withoutCycles(ids, onward);
  const waits = new Map(ids.map((id) => [id, forward.filter(({ to }) => to === id).length]));
  const order: string[] = [];
  const open = new Set(ids);
  while (open.size > 0) {
    // The first of the text that waits for no other; a set keeps the order of the text.
    let next: string | undefined;
    for (const id of open)
      if (waits.get(id) === 0) {
        next = id;
        break;
      }
    if (next === undefined) return [...order, ...open];
    open.delete(next);
    order.push(next);
    for (const { from, to } of forward) if (from === next) waits.set(to, (waits.get(to) ?? 0) - 1);
  }
  return order;
}

/** Whether the source of the line can be reached from its target. */
export function closesCycle(lines: readonly DiagramEdge[], line: DiagramEdge): boolean {
  const reached = new Set([line.to]);
  for (const id of reached) for (const { from, to } of lines) if (from === id) reached.add(to);
  return reached.has(line.from);
}

/** The lines without those that lead back to a node on the way to them, followed from the first nodes. */
function withoutCycles(ids: readonly string[], lines: readonly DiagramEdge[]): DiagramEdge[] {
  const leading = new Map<string, DiagramEdge[]>();
  for (const line of lines) leading.set(line.from, [...(leading.get(line.from) ?? []), line]);
  const entered = new Set(lines.map(({ to }) => to));
  const state = new Map<string, 'open' | 'done'>();
  const forward: DiagramEdge[] = [];
  const follow = (id: string) => {
    const pending: { id: string; lines: DiagramEdge[] }[] = [{ id, lines: leading.get(id) ?? [] }];
    state.set(id, 'open');
    for (let at = pending.at(-1); at; at = pending.at(-1)) {
      const [line, ...others] = at.lines;
      at.lines = others;
      if (!line) {
        state.set(at.id, 'done');
        pending.pop();
      } else if (state.get(line.to) !== 'open') {
        forward.push(line);
        if (!state.has(line.to)) {
          state.set(line.to, 'open');
          pending.push({ id: line.to, lines: leading.get(line.to) ?? [] });
        }
      }
    }
  };
  for (const id of [...ids.filter((one) => !entered.has(one)), ...ids])
    if (!state.has(id)) follow(id);
  return forward;
}
