// The words of a page: which one lies at a point, and the text of a region in reading order.

export interface Area {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface PageWord {
  text: string;
  box: Area;
}

/** How far from a word a click still means it, as a part of the height of the word. */
const reach = 0.25;

const contains = ({ x, y, w, h }: Area, at: { x: number; y: number }, margin: number) =>
  at.x >= x - margin && at.x <= x + w + margin && at.y >= y - margin && at.y <= y + h + margin;

/** Whether two words lie over each other, so that the page cannot show both. */
function overlaps(a: Area, b: Area): boolean {
  const w = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
  const h = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  return w > 0 && h > 0 && w * h > 0.4 * Math.min(a.w * a.h, b.w * b.h);
}

/** Whether another text of the page lies over the word. */
export const isCovered = (words: readonly PageWord[], word: PageWord): boolean =>
  words.some((one) => one !== word && one.text !== word.text && overlaps(one.box, word.box));

/** The word at the point; of several the one whose centre is nearest. */
export function wordAt<T extends PageWord>(
  words: readonly T[],
  at: { x: number; y: number },
): T | null {
  const distance = ({ box }: T) => Math.hypot(box.x + box.w / 2 - at.x, box.y + box.h / 2 - at.y);
  const near = words.filter(({ box }) => contains(box, at, reach * box.h));
  return near.sort((a, b) => distance(a) - distance(b))[0] ?? null;
}

/** The words whose centre lies in the region, in the order in which the page was read. */
export function wordsIn<T extends PageWord>(words: readonly T[], region: Area): T[] {
  return words.filter(({ box }) =>
    contains(region, { x: box.x + box.w / 2, y: box.y + box.h / 2 }, 0),
  );
}

const ideograph = /[\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/;

/** The words as one text; between Chinese or Japanese characters is no space. */
export function joined(words: readonly PageWord[]): string {
  return words.reduce((text, { text: word }) => {
    const close = ideograph.test(text.slice(-1)) && ideograph.test(word.slice(0, 1));
    return text === '' || close ? text + word : `${text} ${word}`;
  }, '');
}

/** The region between two points. */
export function regionOf(a: { x: number; y: number }, b: { x: number; y: number }): Area {
  return {
    x: Math.min(a.x, b.x),
    y: Math.min(a.y, b.y),
    w: Math.abs(a.x - b.x),
    h: Math.abs(a.y - b.y),
  };
}

/** A point of the screen as a point of a page that is shown turned around its centre. */
export function pointOnPage(
  at: { x: number; y: number },
  shown: { left: number; top: number; width: number; height: number },
  page: { width: number; height: number },
  scale: number,
  turn: number,
): { x: number; y: number } {
  const [dx, dy] = [at.x - shown.left - shown.width / 2, at.y - shown.top - shown.height / 2];
  const angle = (-turn * Math.PI) / 180;
  const [cos, sin] = [Math.round(Math.cos(angle)), Math.round(Math.sin(angle))];
  return {
    x: (dx * cos - dy * sin) / scale + page.width / 2,
    y: (dx * sin + dy * cos) / scale + page.height / 2,
  };
}
