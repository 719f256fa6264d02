// The editor of a text. It shows only the lines in view, so its whole text is read from its state.
import type { Page } from 'playwright-core';

interface View {
  state: { doc: { length: number; toString(): string } };
  dispatch(change: { changes: { from: number; to: number; insert: string } }): void;
}

/** The part of the library that leads from an element to its editor. */
interface Content extends HTMLElement {
  cmTile: { view: View };
}

/** The editor with the accessible name, with the methods of a text area. */
export function textEditor(page: Page, name: string) {
  const content = page.getByRole('textbox', { name });
  return {
    content,
    waitFor: () => content.waitFor(),
    inputValue: (): Promise<string> =>
      content.evaluate((element) => (element as Content).cmTile.view.state.doc.toString()),
    /** Replaces the whole text, as a paste does. */
    fill: (text: string): Promise<void> =>
      content.evaluate((element, insert) => {
        const { view } = (element as Content).cmTile;
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } });
      }, text),
  };
}
