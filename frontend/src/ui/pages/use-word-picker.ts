// Takes words from a page: a click takes one, a drag those of a region. The focus stays where it is.
import { type MouseEvent, type PointerEvent, useRef, useState } from 'react';
import type { PageScan } from '../PageImage';
import { showsInk } from './ink';
import {
  type Area,
  isCovered,
  joined,
  type PageWord,
  pointOnPage,
  regionOf,
  wordAt,
  wordsIn,
} from './words';

/** What was taken; `text` is null if nothing there is both a word and visible. */
export interface Taken {
  text: string | null;
  page: number;
  /** The visible words. */
  words: readonly PageWord[];
}

/** Words of a document that can be taken. */
export interface WordSource {
  /** The words by the number of their page. */
  words: ReadonlyMap<number, readonly PageWord[]>;
  /** A field has the focus, so a click on the box of another one takes the word in it. */
  fieldFocused: () => boolean;
  onTake: (taken: Taken) => void;
}

interface PickerInput {
  source: WordSource | null;
  page: PageScan;
  scale: number;
  turn: number;
  highlighted: string | null;
}

/** A pointer that moved less is a click, in pixels of the screen. */
const clickRadius = 5;

export function useWordPicker({ source, page, scale, turn, highlighted }: PickerInput) {
  const [mark, setMark] = useState<Area | null>(null);
  const start = useRef<{ x: number; y: number } | null>(null);
  const dragged = useRef(false);
  if (!source) return { mark: null, handlers: {} };
  const words = source.words.get(page.number) ?? [];
  const pointOf = (event: MouseEvent<HTMLElement>) =>
    pointOnPage(
      { x: event.clientX, y: event.clientY },
      event.currentTarget.getBoundingClientRect(),
      page,
      scale,
      turn,
    );
  const visible = (event: MouseEvent<HTMLElement>, found: readonly PageWord[]) => {
    const image = event.currentTarget.querySelector('img');
    return found.filter(
      (word) => image && !isCovered(words, word) && showsInk(image, page.width, word.box),
    );
  };
  const take = (event: MouseEvent<HTMLElement>, found: readonly PageWord[]) => {
    const words = visible(event, found);
    const shown = joined(words);
    source.onTake({ text: shown === '' ? null : shown, page: page.number, words });
  };
  const down = (event: PointerEvent<HTMLElement>) => {
    dragged.current = false;
    start.current = null;
    if (event.button !== 0 || event.pointerType === 'touch') return; // a finger scrolls
    start.current = { x: event.clientX, y: event.clientY };
  };
  const move = (event: PointerEvent<HTMLElement>) => {
    const from = start.current;
    if (!from) {
      const word = event.pointerType === 'touch' ? null : wordAt(words, pointOf(event));
      setMark(word?.box ?? null);
      return;
    }
    const far = Math.hypot(event.clientX - from.x, event.clientY - from.y) > clickRadius;
    if (!far && !dragged.current) return;
    if (!dragged.current) event.currentTarget.setPointerCapture(event.pointerId);
    dragged.current = true;
    setMark(regionFrom(event, from));
  };
  const regionFrom = (event: PointerEvent<HTMLElement>, from: { x: number; y: number }) => {
    const shown = event.currentTarget.getBoundingClientRect();
    return regionOf(pointOnPage(from, shown, page, scale, turn), pointOf(event));
  };
  const up = (event: PointerEvent<HTMLElement>) => {
    const from = start.current;
    start.current = null;
    if (!from || !dragged.current) return;
    setMark(null);
    take(event, wordsIn(words, regionFrom(event, from)));
  };
  const click = (event: MouseEvent<HTMLElement>) => {
    if (dragged.current) {
      dragged.current = false;
      event.stopPropagation();
      return;
    }
    const box = (event.target as HTMLElement).closest<HTMLElement>('[data-box]')?.dataset.box;
    if (box !== undefined && box !== highlighted && !source.fieldFocused()) return;
    const word = wordAt(words, pointOf(event));
    if (!word) return;
    event.stopPropagation();
    take(event, [word]);
  };
  return {
    mark,
    handlers: {
      onMouseDown: (event: MouseEvent) => event.preventDefault(), // keeps the focus
      onPointerDown: down,
      onPointerMove: move,
      onPointerUp: up,
      onPointerCancel: () => {
        start.current = null;
        setMark(null);
      },
      onPointerLeave: () => start.current === null && setMark(null),
      onClickCapture: click,
    },
  };
}
