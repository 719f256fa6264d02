// What of the review desk lies inside the window, for stories and for the measurement of many documents.
import type { Page } from 'playwright-core';

export interface Measured {
  image: number;
  pageScrolls: number;
  /** Names of what lies partly outside of the window or is covered by its pane. */
  outside: string[];
}

/** What of the desk lies inside the window. */
export function measure(page: Page): Promise<Measured> {
  return page.evaluate(async () => {
    // The page image follows its pane in the frame after the next one.
    // A browser that draws nothing calls no frame, and an evaluation has no time limit of its own.
    for (let frame = 0; frame < 4; frame++)
      await new Promise((done) => {
        requestAnimationFrame(done);
        setTimeout(done, 500);
      });
    const root = document.documentElement;
    const outside: string[] = [];
    const check = (name: string, element: Element | null | undefined) => {
      if (!element) return;
      const box = element.getBoundingClientRect();
      const pane = element.closest('[class*="work"]:not([class*="workspace"])');
      const place = pane?.getBoundingClientRect() ?? new DOMRect(0, 0, innerWidth, innerHeight);
      const inside =
        box.height > 0 &&
        box.top >= Math.max(place.top, 0) - 1 &&
        box.bottom <= Math.min(place.bottom, innerHeight) + 1 &&
        box.right <= innerWidth + 1;
      if (!inside) outside.push(`${name} ${Math.round(box.top)} to ${Math.round(box.bottom)}`);
    };
    check('decision', document.querySelector('[data-decision]'));
    for (const verdict of document.querySelectorAll('[data-verdict]'))
      check(`verdict ${verdict.textContent}`, verdict);
    for (const finding of document.querySelectorAll('[data-severity="BLOCKING"] > summary'))
      check('blocking finding', finding);
    check('first field to check', document.querySelector('[data-row][data-needs] [data-field]'));
    check('heading', document.querySelector('h1'));
    const image = document.querySelector('[data-page] img');
    return {
      image: Math.round(image?.getBoundingClientRect().width ?? 0),
      pageScrolls: root.scrollHeight - root.clientHeight,
      outside,
    };
  });
}
