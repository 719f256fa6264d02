// The drawing of a text, with marks on the steps that the text changes.
import type { TFunction } from 'i18next';
import type { Diagram } from '../../../ui/graph/drawing';
import { type CasePosition, drawingOf, type TracedPath } from '../../../ui/graph/process';
import { declaredAttributes } from './attributes';
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
  /** Whether arrows can be drawn. */
  connects?: boolean;
}

export function diagramOf(design: Design, look: Look): Diagram {
  const { t, language, changes, trace, position, selected, connects = false } = look;
  const graph = { ...graphOf(design), attributes: declaredAttributes(design) };
  const drawn = drawingOf(graph, { t, language, trace, position });
  return {
    ...drawn,
    nodes: drawn.nodes.map((node) => ({
      ...node,
      selected: node.id === selected,
      connects: connects && node.kind !== 'end' && node.kind !== 'anywhere',
      change: changes?.kinds.get(node.id),
    })),
  };
}
