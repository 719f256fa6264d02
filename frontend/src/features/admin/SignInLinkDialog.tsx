// Shows the one-time link by which a person chooses their password, once.
import { Button, CopyButton, Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export function SignInLinkDialog({
  name,
  link,
  onClose,
}: {
  name: string;
  link: string;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
      title={t('admin.link.title', { name })}
    >
      <Stack gap="sm">
        <Text size="sm">{t('admin.link.text', { name })}</Text>
        <pre style={{ margin: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{link}</pre>
        <CopyButton value={link}>
          {({ copied, copy }) => (
            <Button onClick={copy}>{t(copied ? 'admin.link.copied' : 'admin.link.copy')}</Button>
          )}
        </CopyButton>
      </Stack>
    </Modal>
  );
}
