// The line between the pages and the side panel. It is moved by the pointer or the arrow keys; the
// width of the panel is kept per person.
import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { keepPersonSetting, personSetting } from '../../lib/person-settings';
import classes from './review.module.css';

const narrowest = 320;
/** What stays for the pages. */
const pagesLeast = 400;
const step = 24;

/** The chosen width of the side panel in pixels; null is the default of the style sheet. */
export function useSideWidth(person: string | null) {
  const [width, setWidth] = useState<number | null>(() => {
    const kept = Number(personSetting(person, 'side'));
    return Number.isFinite(kept) && kept >= narrowest ? kept : null;
  });
  const change = (next: number) => {
    setWidth(next);
    keepPersonSetting(person, 'side', String(Math.round(next)));
  };
  return { width, change };
}

export function Splitter({ width, change }: ReturnType<typeof useSideWidth>) {
  const { t } = useTranslation();
  const line = useRef<HTMLDivElement>(null);
  const [measured, setMeasured] = useState({ side: narrowest, most: narrowest });
  const measure = () => {
    const place = line.current?.parentElement?.getBoundingClientRect();
    const at = line.current?.getBoundingClientRect();
    if (!place || !at) return { side: narrowest, most: narrowest, right: 0 };
    return {
      side: Math.round(place.right - at.right),
      most: Math.max(narrowest, Math.round(place.width - pagesLeast)),
      right: place.right,
    };
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the width moves the line
  useEffect(() => setMeasured(measure()), [width]);
  const set = (next: number) => change(Math.min(Math.max(next, narrowest), measure().most));
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId))
      set(measure().right - event.clientX - event.currentTarget.offsetWidth / 2);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line that is moved is no <hr>
    <div
      ref={line}
      className={classes.splitter}
      role="separator"
      aria-orientation="vertical"
      aria-label={t('review.splitter')}
      aria-valuenow={measured.side}
      aria-valuemin={narrowest}
      aria-valuemax={measured.most}
      tabIndex={0}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        event.preventDefault();
        set(measure().side + (event.key === 'ArrowLeft' ? step : -step));
      }}
    />
  );
}
