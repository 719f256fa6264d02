import { afterEach, describe, expect, it } from 'vitest';
import { isSearchKey, moved } from './page-keys';

afterEach(() => document.body.replaceChildren());

/** Whether the key asks for the search box when it is pressed in the element. */
function asks(markup: string, init: KeyboardEventInit = { key: '/' }): boolean {
  document.body.innerHTML = markup;
  let asked = false;
  const listen = (event: KeyboardEvent) => {
    asked = isSearchKey(event);
  };
  window.addEventListener('keydown', listen);
  const target = document.body.querySelector('[data-target]') ?? document.body;
  target.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, ...init }));
  window.removeEventListener('keydown', listen);
  return asked;
}

describe('the key of the search box', () => {
  it('works on the page, on a button and on a checkbox', () => {
    expect(asks('<p>text</p>')).toBe(true);
    expect(asks('<button data-target>x</button>')).toBe(true);
    expect(asks('<input data-target type="checkbox">')).toBe(true);
  });

  it('is text in fields', () => {
    for (const field of ['<input data-target>', '<textarea data-target></textarea>'])
      expect(asks(field), field).toBe(false);
  });

  it('does nothing under a dialog, or with another key held', () => {
    expect(asks('<div role="dialog"></div>')).toBe(false);
    expect(asks('', { key: '/', ctrlKey: true })).toBe(false);
    expect(asks('', { key: 'a' })).toBe(false);
  });
});

describe('the arrows in a list', () => {
  it('pass the text box before the first and after the last option', () => {
    const options = ['a', 'b'];
    expect(moved(options, null, 1)).toBe('a');
    expect(moved(options, 'a', 1)).toBe('b');
    expect(moved(options, 'b', 1)).toBeNull();
    expect(moved(options, null, -1)).toBe('b');
    expect(moved([], null, 1)).toBeNull();
  });

  it('begin again when the active option is gone', () => {
    expect(moved(['a', 'b'], 'gone', 1)).toBe('a');
  });
});
