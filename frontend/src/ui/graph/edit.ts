// What a person can drag on a drawing, and where it can be dropped.
import type { RefObject } from 'react';

/** A new arrow from a node, the end of an arrow, a node, or a new node of a kind. */
export type Drag =
  | { kind: 'connect'; from: string }
  | { kind: 'retarget'; line: string }
  | { kind: 'move'; node: string }
  | { kind: 'add'; what: string };

/** Arrows are dropped on nodes, nodes on arrows. */
export const dropsOnNode = ({ kind }: Drag): boolean => kind === 'connect' || kind === 'retarget';

/** How a drawing is edited by the pointer and the keyboard. */
export interface DiagramEdit {
  mayDrop: (drag: Drag, target: string) => boolean;
  onDrop: (drag: Drag, target: string) => void;
  /** What dropping here does, or why nothing can be dropped. */
  describe: (drag: Drag, target: string | null) => string;
  /** Begins a drag outside of the drawing; null until the drawing is shown. */
  begin: RefObject<BeginDrag | null>;
}

export type BeginDrag = (event: PointerEvent, drag: Drag) => void;
