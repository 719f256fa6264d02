// The pages of a document with boxes on them. The highlighted box is scrolled into view.
import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon, type IconName } from './Icon';
import classes from './page-image.module.css';
import { type PageView, scaleOf } from './page-view';
import { PageStrip, usePageInView } from './pages/PageStrip';
import { useWordPicker, type WordSource } from './pages/use-word-picker';

/** A page's image and its size in pixels; boxes use the same pixels. */
export interface PageScan {
  number: number;
  width: number;
  height: number;
  path: string;
}

export interface PageBox {
  id: string;
  page: number;
  box: { x: number; y: number; w: number; h: number };
  label: string;
  doubtful: boolean;
  /** Whether the box is a word that a search found. */
  found?: boolean;
}

interface PageImageProps {
  pages: readonly PageScan[];
  boxes: readonly PageBox[];
  /** The id of the highlighted box. */
  highlighted: string | null;
  onPick: (id: string) => void;
  view: PageView;
  /** Words that a click takes; null if none can be taken now. */
  source?: WordSource | null;
  label: string;
}

const edge = 8;

export function PageImage({
  pages,
  boxes,
  highlighted,
  onPick,
  view,
  source = null,
  label,
}: PageImageProps) {
  const { t } = useTranslation();
  const { ref: sized, width, height } = useElementSize<HTMLElement>();
  const viewport = useRef<HTMLElement>(null);
  const ref = useMergedRef(sized, viewport);
  useScrollToBox(viewport, highlighted, `${view.zoom} ${view.turn} ${width > 0}`);
  const inView = usePageInView(viewport, pages.length);
  const available = {
    width: Math.max(width - 2 * edge, 1),
    height: Math.max(height - 2 * edge, 1),
  };
  return (
    <div className={classes.frame}>
      <PageTools view={view}>
        {pages.length > 1 && (
          <span className={classes.position} role="status">
            {t('pages.position', { page: inView.page, count: pages.length })}
          </span>
        )}
      </PageTools>
      {pages.length > 1 && <PageStrip pages={pages} inView={inView.page} show={inView.show} />}
      <section
        ref={ref}
        className={classes.viewport}
        aria-label={label}
        tabIndex={0 /* scrolled by the keys */}
      >
        {width > 0 &&
          pages.map((page) => (
            <OnePage
              key={page.number}
              page={page}
              scale={scaleOf(view.zoom, page, view.turn, available)}
              turn={view.turn}
              boxes={boxes.filter((box) => box.page === page.number)}
              highlighted={highlighted}
              onPick={onPick}
              source={source}
            />
          ))}
      </section>
    </div>
  );
}

/** Scrolls only the viewport until the highlighted box is at its centre. */
function useScrollToBox(
  viewport: React.RefObject<HTMLElement | null>,
  highlighted: string | null,
  viewKey: string,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a zoom or rotation moves the box
  useEffect(() => {
    const box =
      highlighted === null
        ? null
        : viewport.current?.querySelector(`[data-box="${CSS.escape(highlighted)}"]`);
    if (!box || !viewport.current) return;
    const [inner, outer] = [box.getBoundingClientRect(), viewport.current.getBoundingClientRect()];
    const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const top = inner.top + inner.height / 2 - outer.top - outer.height / 2;
    // A long way is not animated, because every page on it would be loaded.
    const far = Math.abs(top) > 3 * outer.height;
    viewport.current.scrollBy({
      left: inner.left + inner.width / 2 - outer.left - outer.width / 2,
      top,
      behavior: reducedMotion || far ? 'instant' : 'smooth',
    });
  }, [viewport, highlighted, viewKey]);
}

interface OnePageProps {
  page: PageScan;
  scale: number;
  turn: number;
  boxes: readonly PageBox[];
  highlighted: string | null;
  onPick: (id: string) => void;
  source: WordSource | null;
}

function OnePage({ page, scale, turn, boxes, highlighted, onPick, source }: OnePageProps) {
  const { t } = useTranslation();
  const { mark, handlers } = useWordPicker({ source, page, scale, turn, highlighted });
  const [width, height] = [page.width * scale, page.height * scale];
  const [outerWidth, outerHeight] = turn % 180 === 0 ? [width, height] : [height, width];
  const share = (part: number, whole: number) => `${(100 * part) / whole}%`;
  return (
    <div
      className={classes.page}
      data-page={page.number}
      style={{ width: outerWidth, height: outerHeight }}
    >
      <div
        className={classes.rotated}
        data-takes={source ? true : undefined}
        style={{ width, height, transform: `translate(-50%, -50%) rotate(${turn}deg)` }}
        {...handlers}
      >
        <img
          src={page.path}
          alt={t('ui.page', { number: page.number })}
          loading="lazy"
          decoding="async"
          draggable={false}
          width={width}
          height={height}
        />
        {/* A shortcut for the pointer; keyboard users reach the same fields in the form. */}
        <div aria-hidden="true">
          {boxes.map(({ id, box, label, doubtful, found }) => (
            <button
              key={id}
              type="button"
              tabIndex={-1}
              className={classes.box}
              data-box={id}
              data-lit={id === highlighted || undefined}
              data-doubtful={doubtful || undefined}
              data-found={found || undefined}
              title={label}
              onClick={() => onPick(id)}
              style={{
                left: share(box.x, page.width),
                top: share(box.y, page.height),
                width: share(box.w, page.width),
                height: share(box.h, page.height),
              }}
            />
          ))}
          {mark && (
            <div
              className={classes.mark}
              style={{
                left: share(mark.x, page.width),
                top: share(mark.y, page.height),
                width: share(mark.w, page.width),
                height: share(mark.h, page.height),
              }}
            />
          )}
        </div>
      </div>
    </div>
  );
}

function PageTools({ view, children }: { view: PageView; children: ReactNode }) {
  const { t } = useTranslation();
  const signTools: [string, string, () => void][] = [
    [t('pages.smaller'), '−', view.smaller],
    [t('pages.larger'), '+', view.larger],
    [t('pages.fitWidth'), '↔', view.fitWidth],
  ];
  const iconTools: [string, IconName, () => void][] = [
    [t('pages.fitPage'), 'file', view.fitPage],
    [t('pages.rotate'), 'retry', view.rotate],
  ];
  return (
    <Group gap={4} className={classes.tools}>
      {signTools.map(([label, sign, act]) => (
        <Tooltip key={label} label={label}>
          <ActionIcon variant="subtle" color="gray" size="md" aria-label={label} onClick={act}>
            <span aria-hidden="true" className={classes.sign}>
              {sign}
            </span>
          </ActionIcon>
        </Tooltip>
      ))}
      {iconTools.map(([label, icon, act]) => (
        <Tooltip key={label} label={label}>
          <ActionIcon variant="subtle" color="gray" size="md" aria-label={label} onClick={act}>
            <Icon name={icon} />
          </ActionIcon>
        </Tooltip>
      ))}
      {children}
    </Group>
  );
}

/** The part of a page around a box, for narrow layouts. */
export function PageSnippet({
  page,
  box,
  label,
}: {
  page: PageScan;
  box: PageBox['box'];
  label: string;
}) {
  const margin = Math.max(box.h * 0.9, 12);
  const width = Math.min(Math.max(box.w + 2 * margin, box.h * 9), page.width);
  const height = Math.min(box.h + 2 * margin, page.height);
  const within = (at: number, limit: number) => Math.max(0, Math.min(at, limit));
  const x = within(box.x + box.w / 2 - width / 2, page.width - width);
  const y = within(box.y + box.h / 2 - height / 2, page.height - height);
  return (
    <svg
      className={classes.snippet}
      viewBox={`${x} ${y} ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <image href={page.path} width={page.width} height={page.height} />
      <rect className={classes.snippetBox} x={box.x} y={box.y} width={box.w} height={box.h} />
    </svg>
  );
}
