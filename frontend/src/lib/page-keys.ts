// When a key is a shortcut of the page and not text input.

/** Whether keys are text input here; checkboxes and radios take none. */
export function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button)$/.test(target.type);
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

export const dialogIsOpen = () => document.querySelector('[role="dialog"]') !== null;

/** The key that focuses the search box of the header. */
export const searchKey = '/';

/** Whether the key event asks for the search box. */
export const isSearchKey = (event: KeyboardEvent): boolean =>
  event.key === searchKey &&
  !(event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) &&
  !isTyping(event.target) &&
  !dialogIsOpen();

/** Whether the key event asks for the command palette. It also does while the user types. */
export const isPaletteKey = (event: KeyboardEvent): boolean =>
  event.key.toLowerCase() === 'k' &&
  (event.ctrlKey || event.metaKey) &&
  !(event.defaultPrevented || event.altKey || event.shiftKey);

/** The option before or after the active one; null is the text box, before the first and after the last. */
export function moved(
  options: readonly string[],
  active: string | null,
  step: 1 | -1,
): string | null {
  const places = [null, ...options];
  const from = Math.max(places.indexOf(active), 0);
  return places[(from + step + places.length) % places.length] ?? null;
}
