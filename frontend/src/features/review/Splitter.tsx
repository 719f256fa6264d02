// The line between the pages and the side panel. It is moved by the pointer or the arrow keys; the
// width of the panel is kept with the account.
import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { keepPersonSetting } from '../../graphql/person-settings';
import { usePerson } from '../../lib/session';
import classes from './review.module.css';

const narrowest = 320;
/** What stays for the pages. */
const pagesLeast = 400;
const step = 24;

/** The chosen width of the side panel in pixels; null is the default of the style sheet. */
export function useSideWidth() {
  const client = useClient();
  const person = usePerson();
  const [width, setWidth] = useState<number | null>(() => {
    const kept = person?.settings?.side_width ?? 0;
    return kept >= narrowest ? kept : null;
  });
  const keep = (chosen: number) =>
    keepPersonSetting(client, person, 'SIDE_WIDTH', Math.round(chosen));
  return { width, change: setWidth, keep };
}

export function Splitter({ width, change, keep }: ReturnType<typeof useSideWidth>) {
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
  const set = (next: number) => {
    const chosen = Math.min(Math.max(next, narrowest), measure().most);
    change(chosen);
    return chosen;
  };
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
      onLostPointerCapture={() => width !== null && keep(width)}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        event.preventDefault();
        keep(set(measure().side + (event.key === 'ArrowLeft' ? step : -step)));
      }}
    />
  );
}
