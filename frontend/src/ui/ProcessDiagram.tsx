// A process as a zoomable graph. The layout engine is loaded with the first diagram; if that fails,
// the page still lists the steps.

import { Button, Group, Skeleton } from '@mantine/core';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { whenOnline } from '../lib/when-online';
import {
  type Diagram,
  type DiagramNode,
  type Layout,
  type NodeState,
  shapeOf,
} from './graph/drawing';
import type { DiagramEdit } from './graph/edit';
import classes from './graph/graph.module.css';
import { Icon, type IconName } from './Icon';
import { Notice } from './states';

const Graph = lazy(() =>
  whenOnline(async () => ({ default: (await import('./graph/ProcessGraph')).ProcessGraph })),
);

const smallest = 0.4;
const largest = 1.4;
const readable = 0.8;

const legend: [Exclude<NodeState, 'idle'>, IconName][] = [
  ['done', 'check'],
  ['active', 'spin'],
  ['asks', 'person'],
  ['waits', 'clock'],
  ['failed', 'alert'],
];

interface ProcessDiagramProps {
  diagram: Diagram;
  /** The accessible name of the diagram. */
  label: string;
  /** Makes the nodes buttons that call it with the node's id. */
  onSelect?: (id: string) => void;
  /** Lets arrows and nodes be dragged. */
  edit?: DiagramEdit;
}

export function ProcessDiagram({ diagram, label, onSelect, edit }: ProcessDiagramProps) {
  const { t } = useTranslation();
  const { layout, failed } = useLayout(diagram);
  const frame = useRef<HTMLElement>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const width = useWidth(frame, layout !== null);
  const fitting = layout && width > 0 ? Math.max(readable, Math.min(1, width / layout.width)) : 1;
  const zoom = chosen ?? fitting;
  const states = useMemo(() => new Set(diagram.nodes.map(({ state }) => state)), [diagram.nodes]);
  useFocus(frame, diagram, layout, zoom);
  if (failed) return <Notice tone="warn">{t('ui.graph.failed')}</Notice>;
  const step = (by: number) =>
    setChosen(Math.min(largest, Math.max(smallest, Math.round((zoom + by) * 10) / 10)));
  return (
    <div>
      <div className={classes.tools}>
        <span className={classes.legend}>
          {legend
            .filter(([state]) => states.has(state))
            .map(([state, icon]) => (
              <span key={state}>
                <Icon name={icon} size={14} /> {t(`ui.graph.state.${state}`)}
              </span>
            ))}
        </span>
        <Group gap={6}>
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => step(-0.2)}
            disabled={zoom <= smallest}
          >
            {t('ui.graph.smaller')}
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => step(0.2)}
            disabled={zoom >= largest}
          >
            {t('ui.graph.larger')}
          </Button>
        </Group>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable */}
      <section ref={frame} className={classes.frame} tabIndex={0} aria-label={label}>
        {layout ? (
          // Reserve the diagram's size before the engine is loaded, so that the viewport can scroll
          // to the focus.
          <div style={{ width: layout.width * zoom, height: layout.height * zoom }}>
            <Suspense fallback={<Skeleton height={320} />}>
              <Graph {...{ diagram, layout, zoom, onSelect, edit }} />
            </Suspense>
          </div>
        ) : (
          <Skeleton height={320} />
        )}
      </section>
    </div>
  );
}

/** The layout of the diagram's shape; changed states and marks do not need a new one. */
function useLayout(diagram: Diagram): { layout: Layout | null; failed: boolean } {
  const shape = useMemo(() => shapeOf(diagram), [diagram]);
  const [done, setDone] = useState<{ shape: string; layout: Layout | null } | null>(null);
  const newest = useRef(diagram);
  useEffect(() => {
    newest.current = diagram;
  });
  useEffect(() => {
    let current = true;
    const finish = (layout: Layout | null) => current && setDone({ shape, layout });
    import('./graph/layout')
      .then(({ layOut }) => layOut(newest.current))
      .then(finish, () => finish(null));
    return () => {
      current = false;
    };
  }, [shape]);
  // The previous layout stays while a changed diagram is being laid out.
  return { layout: done?.layout ?? null, failed: done !== null && done.layout === null };
}

function useWidth(element: React.RefObject<HTMLElement | null>, ready: boolean): number {
  const [width, setWidth] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the frame exists once the layout is ready
  useEffect(() => {
    const frame = element.current;
    if (!frame) return;
    const measure = () => setWidth(frame.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(frame);
    return () => observer.disconnect();
  }, [element, ready]);
  return width;
}

/**
 * Scrolls the frame to the most important node: the fault, the case's position, otherwise the
 * start.
 */
function useFocus(
  element: React.RefObject<HTMLElement | null>,
  diagram: Diagram,
  layout: Layout | null,
  zoom: number,
) {
  const focus = useMemo(() => {
    const of = (wanted: (node: DiagramNode) => boolean) => diagram.nodes.find(wanted)?.id;
    return (
      of((node) => node.fault === true) ??
      of((node) => node.selected === true) ??
      of((node) => node.change !== undefined) ??
      of((node) => node.state !== undefined && node.state !== 'idle' && node.state !== 'done') ??
      of((node) => node.kind === 'start')
    );
  }, [diagram.nodes]);
  useEffect(() => {
    const frame = element.current;
    const position = focus === undefined ? undefined : layout?.nodes.get(focus);
    if (!frame || !position) return;
    const centre = {
      x: (position.x + position.width / 2) * zoom,
      y: (position.y + position.height / 2) * zoom,
    };
    const frameHeight = frame.clientHeight;
    frame.scrollLeft = centre.x - frame.clientWidth / 2;
    // Do not scroll if it is visible already.
    if (centre.y < frame.scrollTop + 40 || centre.y > frame.scrollTop + frameHeight - 40)
      frame.scrollTop = centre.y - frameHeight / 2;
  }, [element, focus, layout, zoom]);
}
