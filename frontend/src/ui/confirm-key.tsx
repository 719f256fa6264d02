// Ctrl+Enter confirms a dialog; the key is shown while a text box, in which Enter begins a new line, has
// the focus.
import { type FocusEvent, type KeyboardEvent, useState } from 'react';

const isTextBox = (target: EventTarget | null) => target instanceof HTMLTextAreaElement;

/** `confirm` is null while the dialog cannot be confirmed. */
export function useConfirmKey(confirm: (() => void) | null) {
  const [writing, setWriting] = useState(false);
  return {
    /** A text box has the focus. */
    writing,
    handlers: {
      onFocus: (event: FocusEvent) => setWriting(isTextBox(event.target)),
      onBlur: () => setWriting(false),
      onKeyDown: (event: KeyboardEvent) => {
        const { key, ctrlKey, metaKey, altKey } = event;
        if (key !== 'Enter' || !(ctrlKey || metaKey) || altKey) return;
        event.preventDefault();
        if (!event.repeat) confirm?.();
      },
    },
  };
}

/** The key of the button that confirms, as `shortcutProps` shows it. */
export const confirmKey = 'Ctrl+Enter';
