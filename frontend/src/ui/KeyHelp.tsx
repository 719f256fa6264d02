// The keys of a page: bound while it is shown, listed by "?".
import { Kbd, Modal, Table } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** One key of a page. `keys` as KeyboardEvent.key; letters work only outside of inputs unless `always`. */
export interface PageKey {
  keys: string;
  label: string;
  run: () => void;
  always?: boolean;
  ctrl?: boolean;
}

/** Letters that are typed belong to the text; in a box that is only ticked nothing is typed. */
function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button)$/.test(target.type);
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

const dialogIsOpen = () => document.querySelector('[role="dialog"]') !== null;

/** Binds the keys while mounted, and shows them all when ? is pressed. Nothing is bound while a sheet is open. */
export function KeyHelp({ keys }: { keys: PageKey[] }) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  const currentKeys = useRef(keys);
  useEffect(() => {
    currentKeys.current = keys;
  });
  useEffect(() => {
    // Asked before anybody else hears of the key: Escape closes a sheet, which is gone then when the key comes here.
    let dialogWasOpen = false;
    const noteDialog = () => {
      dialogWasOpen = dialogIsOpen();
    };
    const handleKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || dialogWasOpen) return;
      const typing = isTyping(event.target);
      if (event.key === '?' && !typing) {
        event.preventDefault();
        setOpened(true);
        return;
      }
      const ctrl = event.ctrlKey || event.metaKey;
      const match = currentKeys.current.find(
        (key) => key.keys === event.key && Boolean(key.ctrl) === ctrl && (!typing || key.always),
      );
      if (!match || event.altKey) return;
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
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
