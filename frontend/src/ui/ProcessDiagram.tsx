// A process drawn as a graph, with its size to be chosen. The drawing engine is loaded when a picture is first shown;
// where it cannot be, the page still has the steps in words.
import { Button, Group, Skeleton } from '@mantine/core';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type Diagram,
  type DiagramNode,
  type Layout,
  type NodeState,
  shapeOf,
} from './graph/drawing';
import classes from './graph/graph.module.css';
import { Icon, type IconName } from './Icon';
import { Notice } from './states';

const Graph = lazy(async () => ({ default: (await import('./graph/ProcessGraph')).ProcessGraph }));

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
  drawing: Diagram;
  /** What the picture shows, for those who do not see it. */
  label: string;
}

export function ProcessDiagram({ drawing, label }: ProcessDiagramProps) {
  const { t } = useTranslation();
  const { layout, failed } = useLayout(drawing);
  const frame = useRef<HTMLElement>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const width = useWidth(frame, layout !== null);
  const fitting = layout && width > 0 ? Math.max(readable, Math.min(1, width / layout.width)) : 1;
  const zoom = chosen ?? fitting;
  const states = useMemo(() => new Set(drawing.nodes.map(({ state }) => state)), [drawing.nodes]);
  useFocus(frame, drawing, layout, zoom);
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard */}
      <section ref={frame} className={classes.frame} tabIndex={0} aria-label={label}>
        {layout ? (
          // Of the drawing's size before the engine is there, so that what matters most can be scrolled to at once.
          <div style={{ width: layout.width * zoom, height: layout.height * zoom }}>
            <Suspense fallback={<Skeleton height={320} />}>
              <Graph drawing={drawing} layout={layout} zoom={zoom} />
            </Suspense>
          </div>
        ) : (
          <Skeleton height={320} />
        )}
      </section>
    </div>
  );
}

/** The layout of the drawing's shape; states and marks that change do not lay it out anew. */
function useLayout(drawing: Diagram): { layout: Layout | null; failed: boolean } {
  const shape = useMemo(() => shapeOf(drawing), [drawing]);
  const [done, setDone] = useState<{ shape: string; layout: Layout | null } | null>(null);
  const newest = useRef(drawing);
  useEffect(() => {
    newest.current = drawing;
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
  // While a changed drawing is laid out, the one before stays.
  return { layout: done?.layout ?? null, failed: done !== null && done.layout === null };
}

function useWidth(element: React.RefObject<HTMLElement | null>, ready: boolean): number {
  const [width, setWidth] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the frame is measured when the drawing comes to stand in it
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

/** What matters most is brought into view, in the frame alone: the fault, where the case stands, else the start. */
function useFocus(
  element: React.RefObject<HTMLElement | null>,
  drawing: Diagram,
  layout: Layout | null,
  zoom: number,
) {
  const focus = useMemo(() => {
    const of = (wanted: (node: DiagramNode) => boolean) => drawing.nodes.find(wanted)?.id;
    return (
      of((node) => node.fault === true) ??
      of((node) => node.state !== undefined && node.state !== 'idle' && node.state !== 'done') ??
      of((node) => node.kind === 'start')
    );
  }, [drawing.nodes]);
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
    // What is seen anyway stays where it is.
    if (centre.y < frame.scrollTop + 40 || centre.y > frame.scrollTop + frameHeight - 40)
      frame.scrollTop = centre.y - frameHeight / 2;
  }, [element, focus, layout, zoom]);
}
