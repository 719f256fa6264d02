// Ctrl+Enter confirms a dialog; the key is shown once a text box, in which Enter begins a new line, had the
// focus.
import { type FocusEvent, type KeyboardEvent, useState } from 'react';

const isTextBox = (target: EventTarget | null) => target instanceof HTMLTextAreaElement;

/** `confirm` is null while the dialog cannot be confirmed. */
export function useConfirmKey(confirm: (() => void) | null) {
  const [writing, setWriting] = useState(false);
  return {
    /** A text box has, or had, the focus: a key that changes under the pointer would move its button. */
    writing,
    handlers: {
      onFocus: (event: FocusEvent) => isTextBox(event.target) && setWriting(true),
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
