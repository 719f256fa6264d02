// The steps of called processes on the edited drawing: in a frame around their call, as on the page of the
// process. They come from the check of the server, which composes the text, and cannot be edited here.
import { useEffect, useMemo, useState } from 'react';
import {
  type CasePosition,
  outermost,
  type ProcessGraphData,
  type TracedPath,
} from '../../../ui/graph/process';
import { type Design, textOf } from './design';

/** The composed graph of a text. */
export interface Composed {
  graph: ProcessGraphData;
  /** The process that each node called in that text. */
  processes: ReadonlyMap<string, string>;
}

const processesOf = (design: Design): ReadonlyMap<string, string> =>
  new Map(
    design.nodes
      .filter(({ kind }) => kind === 'call')
      .map(({ id, attributes }) => [id, textOf(attributes.process)]),
  );

/** The latest composed graph, which stays while another text is checked. */
export function useComposed(
  design: Design | null,
  graph: ProcessGraphData | null,
  current: boolean,
): Composed | null {
  const [latest, setLatest] = useState<Composed | null>(null);
  const found = useMemo(
    () => (design && graph && current ? { graph, processes: processesOf(design) } : null),
    [design, graph, current],
  );
  useEffect(() => {
    if (found) setLatest(found);
  }, [found]);
  return found ?? latest;
}

/**
 * The graph of a design with the steps of the processes that it calls. A call that names another process now
 * has none until the text is checked.
 */
export function withCalledSteps(
  graph: ProcessGraphData,
  design: Design,
  composed: Composed | null,
): ProcessGraphData {
  if (!composed) return graph;
  const calls = new Set(
    [...processesOf(design)]
      .filter(([id, process]) => composed.processes.get(id) === process)
      .map(([id]) => id),
  );
  const inner = composed.graph.nodes.filter(
    ({ id, within }) => within !== '' && calls.has(outermost(id)),
  );
  if (inner.length === 0) return graph;
  const ids = new Set(inner.map(({ id }) => id));
  const known = new Set([...ids, ...graph.nodes.map(({ id }) => id)]);
  const composedLines = composed.graph.lines.filter(
    ({ from, to }) => (ids.has(from) || ids.has(to)) && known.has(from) && known.has(to),
  );
  const leaving = composedLines.filter(
    ({ from, to, kind }) => !ids.has(to) && ids.has(from) && kind.toLowerCase() !== 'return',
  );
  const endOf = (call: string, label: string) =>
    leaving.find(
      ({ from }) => outermost(from) === call && (label === '' || from === `${call}/${label}`),
    )?.from;
  return {
    ...graph,
    nodes: [...graph.nodes, ...inner],
    lines: [
      // A connection of a call begins at the end of the called process, and stays the one that is edited.
      ...graph.lines.map((line) =>
        calls.has(line.from) ? { ...line, from: endOf(line.from, line.label) ?? line.from } : line,
      ),
      ...composedLines.filter((line) => !leaving.includes(line)),
    ],
  };
}

/** The node of the drawing that shows a node: itself, or the call around it. */
const shownIn = ({ nodes }: ProcessGraphData) => {
  const ids = new Set(nodes.map(({ id }) => id));
  return (id: string) => (ids.has(id) ? id : outermost(id));
};

export function pathIn(graph: ProcessGraphData, { path, fault }: TracedPath): TracedPath {
  const shown = shownIn(graph);
  return {
    path: path.map((step) => ({ ...step, node: shown(step.node) })),
    fault: shown(fault),
  };
}

export function positionIn(graph: ProcessGraphData, position: CasePosition): CasePosition {
  const shown = shownIn(graph);
  return {
    ...position,
    tokens: position.tokens.map((token) => ({ ...token, node: shown(token.node) })),
    visits: position.visits.map((visit) => ({ ...visit, node: shown(visit.node) })),
    failed: position.failed === null ? null : shown(position.failed),
    returnsTo: position.returnsTo === null ? null : shown(position.returnsTo),
  };
}
