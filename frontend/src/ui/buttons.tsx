// A button that explains why it is disabled, and the confirmation dialog.
import {
  Button,
  type ButtonProps,
  Group,
  Modal,
  Stack,
  Text,
  Textarea,
  Tooltip,
} from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { confirmKey, useConfirmKey } from './confirm-key';
import { shortcutProps } from './shortcut';

interface ButtonWithReasonProps extends ButtonProps {
  /** Why it is disabled; null or empty if it is enabled. */
  disabledReason: string | null | undefined;
  onClick: () => void;
  /** The keyboard shortcut, shown in the button. */
  shortcut?: string;
  children: ReactNode;
}

/** A button that stays focusable while disabled and explains why. */
export function ButtonWithReason({
  disabledReason,
  onClick,
  shortcut,
  children,
  ...rest
}: ButtonWithReasonProps) {
  const id = useId();
  const blocked = Boolean(disabledReason);
  return (
    <Tooltip
      label={disabledReason ?? ''}
      disabled={!blocked}
      multiline
      maw={320}
      events={{ hover: true, focus: true, touch: true }}
    >
      <Button
        {...rest}
        onClick={() => !blocked && onClick()}
        aria-disabled={blocked || undefined}
        data-disabled={blocked || undefined}
        aria-describedby={blocked ? id : undefined}
        {...(shortcut !== undefined && shortcutProps(shortcut))}
      >
        {children}
        {/* Hidden, because it is the description of the button and not a part of its name. */}
        {blocked && (
          <span id={id} hidden>
            {disabledReason}
          </span>
        )}
      </Button>
    </Tooltip>
  );
}

interface ConfirmDialogProps {
  opened: boolean;
  title: string;
  /** The consequence of the action. */
  children?: ReactNode;
  confirmLabel: string;
  danger?: boolean;
  busy?: boolean;
  size?: 'xl';
  /** Asks for a reason of at most `maxLength` characters; it is optional unless `required`. */
  reason?: { label: string; required: boolean; maxLength: number; placeholder?: string };
  onConfirm: (reason: string) => void;
  onClose: () => void;
}

/** Asks for confirmation; Escape and "Cancel" change nothing. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={props.title}
      {...(props.size && { size: props.size })}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      {props.opened && <ConfirmBody {...props} />}
    </Modal>
  );
}

function ConfirmBody({
  children,
  confirmLabel,
  danger,
  busy,
  reason,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const missing = reason?.required && text.trim() === '';
  const send = () => {
    if (!missing && !busy) onConfirm(text.trim());
  };
  const { writing, handlers } = useConfirmKey(send);
  return (
    <form
      {...handlers}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Stack>
        {children && <Text component="div">{children}</Text>}
        {reason && (
          <Textarea
            data-autofocus
            autosize
            minRows={3}
            maxRows={10}
            maxLength={reason.maxLength}
            label={reason.label}
            required={reason.required}
            placeholder={reason.placeholder}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        {missing && (
          <Text size="xs" c="dimmed" ta="right" aria-hidden="true">
            {t('ui.reasonNeeded')}
          </Text>
        )}
        <Group justify="flex-end" className="cs-dialog-foot">
          <Button variant="default" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <ButtonWithReason
            {...(writing && { shortcut: confirmKey })}
            disabledReason={missing ? t('ui.reasonNeeded') : null}
            loading={busy ?? false}
            {...(danger && { color: 'red.8' })}
            onClick={() => onConfirm(text.trim())}
          >
            {confirmLabel}
          </ButtonWithReason>
        </Group>
      </Stack>
    </form>
  );
}
