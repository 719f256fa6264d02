// The drawing of a text, with marks on the steps that the text changes.
import type { TFunction } from 'i18next';
import type { Diagram } from '../../../ui/graph/drawing';
import { type CasePosition, drawingOf, type TracedPath } from '../../../ui/graph/process';
import { declaredAttributes } from './attributes';
import { type Composed, pathIn, positionIn, withCalledSteps } from './called-steps';
import type { Changes } from './changes';
import { type Design, graphOf } from './design';

interface Look {
  t: TFunction<'translation'>;
  language: string;
  changes: Changes | null;
  trace?: TracedPath | null;
  /** Where a case is; its passed steps are lit. */
  position?: CasePosition | null;
  /** The id of the node whose form is shown. */
  selected?: string | null;
  /** The composed graph, for the steps of called processes. */
  composed?: Composed | null;
  /** Whether arrows can be drawn. */
  connects?: boolean;
}

export function diagramOf(design: Design, look: Look): Diagram {
  const { t, language, changes, trace, position, selected, connects = false } = look;
  const own = { ...graphOf(design), attributes: declaredAttributes(design) };
  const graph = withCalledSteps(own, design, look.composed ?? null);
  const drawn = drawingOf(graph, {
    t,
    language,
    trace: trace && pathIn(graph, trace),
    position: position && positionIn(graph, position),
  });
  return {
    ...drawn,
    nodes: drawn.nodes.map((node) => ({
      ...node,
      selected: node.id === selected,
      connects:
        connects && node.kind !== 'end' && node.kind !== 'anywhere' && node.within === undefined,
      change: changes?.kinds.get(node.id),
    })),
  };
}
