// The keyboard shortcuts of a page, with a help dialog opened by "?".
import { Kbd, Modal, Table } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { pageActions } from '../lib/page-actions';
import { dialogIsOpen, isTyping, searchKey } from '../lib/page-keys';

/** How long a closing dialog can still be on the page, in milliseconds. */
const closing = 30;

/**
 * A shortcut. `keys` is a KeyboardEvent.key; it is ignored in text inputs unless `always` is set.
 */
export interface PageKey {
  keys: string;
  label: string;
  run: () => void;
  always?: boolean;
  ctrl?: boolean;
  /** A key that is held down acts once. */
  once?: boolean;
  /** Acts on what has the focus, so it is no entry of the command palette. */
  onFocus?: boolean;
}

const actionOf = ({ keys, ctrl, label, run }: PageKey) => ({
  keys: ctrl ? `Ctrl+${keys.toUpperCase()}` : keys,
  label,
  run,
});

/**
 * Binds the shortcuts while mounted and lists them on "?". They are disabled while a dialog is
 * open.
 */
export function KeyHelp({ keys }: { keys: PageKey[] }) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  const currentKeys = useRef(keys);
  useEffect(() => {
    currentKeys.current = keys;
  });
  useEffect(() => {
    const list = () => currentKeys.current.filter((key) => !key.onFocus).map(actionOf);
    pageActions.set(list);
    return () => {
      if (pageActions.get() === list) pageActions.set(() => []);
    };
  }, []);
  useEffect(() => {
    // Check in the capture phase, because Escape closes a dialog before the key reaches the window.
    let dialogWasOpen = false;
    const noteDialog = () => {
      dialogWasOpen = dialogIsOpen();
    };
    const handleKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const typing = isTyping(event.target);
      if (event.key === '?' && !typing && !dialogWasOpen) {
        event.preventDefault();
        setOpened(true);
        return;
      }
      const ctrl = event.ctrlKey || event.metaKey;
      const match = currentKeys.current.find(
        (key) => key.keys === event.key && Boolean(key.ctrl) === ctrl && (!typing || key.always),
      );
      if (!match || event.altKey || (event.repeat && match.once)) return;
      if (dialogWasOpen) {
        // The dialog may be closing: the key counts if it is gone in the next moment.
        setTimeout(() => !dialogIsOpen() && match.run(), closing);
        return;
      }
      event.preventDefault();
      match.run();
    };
    window.addEventListener('keydown', noteDialog, true);
    window.addEventListener('keydown', handleKey);
    return () => {
      window.removeEventListener('keydown', noteDialog, true);
      window.removeEventListener('keydown', handleKey);
    };
  }, []);
  return (
    <Modal
      opened={opened}
      onClose={() => setOpened(false)}
      title={t('ui.keysTitle')}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <Table>
        <Table.Tbody>
          {keys.map((key) => (
            <Table.Tr key={`${key.ctrl ? 'Ctrl ' : ''}${key.keys}`}>
              <Table.Td>
                {key.ctrl && <Kbd>Ctrl</Kbd>} <Kbd>{key.keys}</Kbd>
              </Table.Td>
              <Table.Td>{key.label}</Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Td>
              <Kbd>{searchKey}</Kbd>
            </Table.Td>
            <Table.Td>{t('ui.searchKey')}</Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
