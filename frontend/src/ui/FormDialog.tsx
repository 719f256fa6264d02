// A form in a dialog: fields, errors and two buttons. Enter sends it, Escape closes it.
import { Button, Group, Modal, type ModalProps, Stack } from '@mantine/core';
import type { ComponentProps, KeyboardEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ButtonWithReason } from './buttons';
import { type ChangedField, ChangedMeanwhile } from './ChangedMeanwhile';
import { confirmKey, useConfirmKey } from './confirm-key';
import { RefusalAlert } from './states';

interface FormDialogProps extends ComponentProps<typeof RefusalAlert> {
  title: string;
  size?: ModalProps['size'];
  /** Why it cannot be sent yet; null if it can. */
  disabledReason: string | null;
  busy: boolean;
  confirmLabel: string;
  onSend: () => void;
  onClose: () => void;
  children: ReactNode;
  /** What another person has changed since the form was opened. */
  changed?: readonly ChangedField[];
  /** What the dialog shows below the fields; Enter in it does not send the form. */
  below?: ReactNode;
}

function keepEnter(event: KeyboardEvent) {
  if (event.key !== 'Enter') return;
  event.stopPropagation();
  if (event.target instanceof HTMLInputElement) event.preventDefault();
}

export function FormDialog(props: FormDialogProps) {
  const { title, size, disabledReason, busy, confirmLabel, onSend, onClose, ...rest } = props;
  const { children, changed, below, ...errors } = rest;
  const { t } = useTranslation();
  const send = () => {
    if (!disabledReason && !busy) onSend();
  };
  const { writing, handlers } = useConfirmKey(send);
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      {...(size !== undefined && { size })}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <form
        {...handlers}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Stack>
          {children}
          {below && (
            // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps keys from the form
            <div onKeyDown={keepEnter}>{below}</div>
          )}
          <RefusalAlert {...errors} />
          <ChangedMeanwhile fields={changed ?? []} />
          <Group justify="flex-end" className="cs-dialog-foot">
            <Button variant="default" onClick={onClose}>
              {t('ui.cancel')}
            </Button>
            <ButtonWithReason
              {...(writing && { shortcut: confirmKey })}
              disabledReason={disabledReason}
              loading={busy}
              onClick={send}
            >
              {confirmLabel}
            </ButtonWithReason>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
