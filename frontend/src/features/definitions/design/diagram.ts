// The drawing of a text, with marks on the steps that the text changes.
import type { TFunction } from 'i18next';
import type { Diagram } from '../../../ui/graph/drawing';
import { drawingOf, type TracedPath } from '../../../ui/graph/process';
import type { Changes } from './changes';
import { type Design, graphOf } from './design';

interface Look {
  t: TFunction<'translation'>;
  language: string;
  changes: Changes | null;
  trace?: TracedPath | null;
  /** The id of the node whose form is shown. */
  selected?: string | null;
}

export function diagramOf(design: Design, look: Look): Diagram {
  const { t, language, changes, trace, selected } = look;
  const drawn = drawingOf(graphOf(design), { t, language, trace });
  return {
    ...drawn,
    nodes: drawn.nodes.map((node) => ({
      ...node,
      selected: node.id === selected,
      change: changes?.kinds.get(node.id),
    })),
  };
}
