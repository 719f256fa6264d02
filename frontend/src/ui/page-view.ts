// The view of a document's pages: zoom and rotation.
import { useState } from 'react';

/** width, page: fitted to the viewport; a number: a multiple of the fitted width. */
export type Zoom = 'width' | 'page' | number;
export type Turn = 0 | 90 | 180 | 270;

export interface PageView {
  zoom: Zoom;
  turn: Turn;
  larger: () => void;
  smaller: () => void;
  fitWidth: () => void;
  fitPage: () => void;
  rotate: () => void;
}

const steps = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4] as const;

/** The next larger or smaller zoom step. */
export function stepped(zoom: Zoom, direction: 1 | -1): Zoom {
  const now = typeof zoom === 'number' ? zoom : zoom === 'width' ? 1 : 0.5;
  const nextStep =
    direction === 1 ? steps.find((step) => step > now) : steps.findLast((step) => step < now);
  return nextStep ?? now;
}

/** The scale of a page in a viewport of the given size. */
export function scaleOf(
  zoom: Zoom,
  page: { width: number; height: number },
  turn: Turn,
  viewport: { width: number; height: number },
): number {
  const [width, height] = turn % 180 === 0 ? [page.width, page.height] : [page.height, page.width];
  const widthScale = viewport.width / Math.max(width, 1);
  if (zoom === 'page') return Math.min(widthScale, viewport.height / Math.max(height, 1));
  return zoom === 'width' ? widthScale : widthScale * zoom;
}

/** The view of a document, kept while its page is open. */
export function usePageView(): PageView {
  const [zoom, setZoom] = useState<Zoom>('width');
  const [turn, setTurn] = useState<Turn>(0);
  return {
    zoom,
    turn,
    larger: () => setZoom((now) => stepped(now, 1)),
    smaller: () => setZoom((now) => stepped(now, -1)),
    fitWidth: () => setZoom('width'),
    fitPage: () => setZoom('page'),
    rotate: () => setTurn((now) => ((now + 90) % 360) as Turn),
  };
}
