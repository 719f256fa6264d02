import { Kbd } from '@mantine/core';

/** The props of a button that a key presses too: the key is shown, and is not a part of the button's name. */
export function shortcutProps(key: string) {
  return {
    'aria-keyshortcuts': key.replace('Ctrl', 'Control'),
    rightSection: (
      <Kbd size="xs" aria-hidden="true">
        {key}
      </Kbd>
    ),
  };
}
