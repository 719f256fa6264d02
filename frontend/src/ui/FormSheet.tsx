// A form in a sheet: its fields, what was refused, and the two buttons. Enter sends it, Escape leaves everything as it is.
import { Button, Group, Modal, type ModalProps, Stack } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ReasonedButton } from './buttons';
import { RefusalAlert } from './states';

interface FormSheetProps extends ComponentProps<typeof RefusalAlert> {
  title: string;
  size?: ModalProps['size'];
  /** Why it cannot be sent yet; null = it can. */
  because: string | null;
  busy: boolean;
  confirmLabel: string;
  onSend: () => void;
  onClose: () => void;
  children: ReactNode;
}

export function FormSheet(props: FormSheetProps) {
  const { title, size, because, busy, confirmLabel, onSend, onClose, children, ...refused } = props;
  const { t } = useTranslation();
  const send = () => {
    if (!because && !busy) onSend();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      {...(size !== undefined && { size })}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Stack>
          {children}
          <RefusalAlert {...refused} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('ui.cancel')}
            </Button>
            <ReasonedButton because={because} loading={busy} onClick={send}>
              {confirmLabel}
            </ReasonedButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
