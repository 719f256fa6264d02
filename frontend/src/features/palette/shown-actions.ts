// The actions that a page offers by its buttons and links.
import type { PageAction } from '../../lib/page-actions';

/**
 * What the page offers by the buttons and links of its head, and by elements with data-page-action; its value
 * names an element that has no text of its own. A field gets the focus, everything else is clicked.
 */
export function shownActions(page: ParentNode = document): Omit<PageAction, 'keys'>[] {
  const found = page.querySelectorAll<HTMLElement>(
    '[data-page-actions] :is(button, a), [data-page-action]',
  );
  return [...found].flatMap((element) => {
    const label =
      element.dataset.pageAction || element.getAttribute('aria-label') || element.textContent;
    const off = element.matches(':disabled, [aria-disabled="true"]') || element.hidden;
    if (off || !label?.trim()) return [];
    const run = () => (element.matches('input, textarea') ? element.focus() : element.click());
    return [{ label: label.trim(), run }];
  });
}
