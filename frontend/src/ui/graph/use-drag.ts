// A drag on a drawing, by the pointer or by the keyboard. It ends with a drop, or with Escape.
import { useEffect, useRef, useState } from 'react';
import type { Layout, Point } from './drawing';
import { type DiagramEdit, type Drag, dropsOnNode } from './edit';
import { centreOf, isDirection, lineAt, neighbour, nodeAt } from './hit';

export interface DragState {
  drag: Drag;
  /** The place of the pointer, in the pixels of the layout. */
  at: Point;
  /** The node or arrow on which it would be dropped. */
  target: string | null;
}

/** A press becomes a drag when the pointer has moved this far, in pixels. */
const threshold = 6;
/** Near the edge of the frame, the drawing scrolls. */
const scrollEdge = 36;

interface Surface {
  /** The element with the size of the drawing. */
  canvas: HTMLElement;
  layout: Layout;
  zoom: number;
  edit: DiagramEdit;
}

export function useDrag(surface: Surface | null): DragState | null {
  const [state, setState] = useState<DragState | null>(null);
  const latest = useRef(surface);
  useEffect(() => {
    latest.current = surface;
  });
  const canvas = surface?.canvas;
  const begin = surface?.edit.begin;
  useEffect(() => {
    if (!canvas || !begin) return;
    const now = () => latest.current as Surface;
    let stop: (() => void) | null = null;
    begin.current = (event, drag) => {
      stop?.();
      stop = followPointer(event, drag, now, setState);
    };
    const press = (event: PointerEvent) => {
      const drag = dragOf(event);
      if (drag) begin.current?.(event, drag);
    };
    const keyboard = connectByKeys(now, setState);
    canvas.addEventListener('pointerdown', press);
    canvas.addEventListener('keydown', keyboard.press);
    canvas.addEventListener('focusout', keyboard.cancel);
    return () => {
      stop?.();
      begin.current = null;
      canvas.removeEventListener('pointerdown', press);
      canvas.removeEventListener('keydown', keyboard.press);
      canvas.removeEventListener('focusout', keyboard.cancel);
    };
  }, [canvas, begin]);
  return state;
}

/** What a press on the drawing can drag. A finger moves only the chosen node, and scrolls elsewhere. */
function dragOf(event: PointerEvent): Drag | null {
  const at = event.target as Element;
  const line = at.closest('[data-grip]')?.getAttribute('data-grip');
  if (line) return { kind: 'retarget', line };
  const node = at.closest('[data-node]');
  const id = node?.getAttribute('data-node');
  if (!node || !id) return null;
  if (at.closest('[data-handle]')) return { kind: 'connect', from: id };
  if (event.pointerType !== 'mouse' && !node.hasAttribute('data-selected')) return null;
  return { kind: 'move', node: id };
}

type SetState = (state: DragState | null) => void;

/** Follows the pointer until it is released; returns what ends the drag without a drop. */
function followPointer(
  { pointerId, button, clientX, clientY }: PointerEvent,
  drag: Drag,
  now: () => Surface,
  setState: SetState,
): () => void {
  let state: DragState | null = null;
  const move = (event: PointerEvent) => {
    if (event.pointerId !== pointerId) return;
    if (!state && Math.hypot(event.clientX - clientX, event.clientY - clientY) < threshold) return;
    const surface = now();
    scrollNear(surface.canvas, event);
    const at = pointOf(surface, event);
    state = { drag, at, target: targetAt(surface, drag, at) };
    setState(state);
  };
  const end = (event: PointerEvent) => {
    if (event.pointerId !== pointerId) return;
    const dropped = state;
    stop();
    if (event.type === 'pointerup' && dropped?.target) now().edit.onDrop(drag, dropped.target);
  };
  const cancel = (event: KeyboardEvent) => {
    if (event.key === 'Escape') stop();
  };
  const stop = () => {
    state = null;
    setState(null);
    window.removeEventListener('pointermove', move);
    window.removeEventListener('pointerup', end);
    window.removeEventListener('pointercancel', end);
    window.removeEventListener('keydown', cancel);
  };
  if (button !== 0) return stop;
  window.addEventListener('pointermove', move);
  window.addEventListener('pointerup', end);
  window.addEventListener('pointercancel', end);
  window.addEventListener('keydown', cancel);
  return stop;
}

function pointOf({ canvas, zoom }: Surface, event: PointerEvent): Point {
  const { left, top } = canvas.getBoundingClientRect();
  return { x: (event.clientX - left) / zoom, y: (event.clientY - top) / zoom };
}

function targetAt({ layout, edit }: Surface, drag: Drag, at: Point): string | null {
  if (!dropsOnNode(drag)) return lineAt(layout, at, (id) => edit.mayDrop(drag, id));
  const id = nodeAt(layout, at);
  return id !== null && edit.mayDrop(drag, id) ? id : null;
}

function scrollNear(canvas: HTMLElement, { clientX, clientY }: PointerEvent): void {
  const frame = canvas.closest('section');
  const box = frame?.getBoundingClientRect();
  if (!frame || !box) return;
  const towards = (at: number, start: number, end: number) =>
    at < start + scrollEdge ? -12 : at > end - scrollEdge ? 12 : 0;
  frame.scrollBy(towards(clientX, box.left, box.right), towards(clientY, box.top, box.bottom));
}

/** On a node, "c" begins an arrow; the arrow keys choose its target and Enter draws it. */
function connectByKeys(now: () => Surface, setState: SetState) {
  let state: DragState | null = null;
  const set = (next: DragState | null) => {
    state = next;
    setState(next);
  };
  const choose = (drag: Drag, id: string | null) => {
    const { layout, canvas } = now();
    const at = id === null ? null : centreOf(layout, id);
    if (id === null || !at) return;
    set({ drag, at, target: id });
    canvas
      .querySelector(`[data-node="${CSS.escape(id)}"]`)
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  const press = (event: KeyboardEvent) => {
    const { layout, edit } = now();
    const node = (event.target as Element).closest('[data-node]');
    const id = node?.getAttribute('data-node');
    if (!id || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    const allowed = (drag: Drag) => (target: string) => edit.mayDrop(drag, target);
    if (!state) {
      if (key !== 'c' || !node?.querySelector('[data-handle]')) return;
      const drag: Drag = { kind: 'connect', from: id };
      const first = (['ArrowDown', 'ArrowRight', 'ArrowLeft', 'ArrowUp'] as const)
        .map((direction) => neighbour(layout, id, direction, allowed(drag)))
        .find((one) => one !== null);
      choose(drag, first ?? null);
    } else if (isDirection(key) && state.target) {
      choose(state.drag, neighbour(layout, state.target, key, allowed(state.drag)));
    } else if (key === 'Escape') set(null);
    else if (key === 'Enter' && state.target) {
      const { drag, target } = state;
      set(null);
      edit.onDrop(drag, target);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { press, cancel: () => state && set(null) };
}
