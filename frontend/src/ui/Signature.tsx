// That a decision was signed, with how to verify the signature.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Badge } from './StatusBadge';
import { Timestamp } from './values';

/** "Signed with a passkey", and its details when opened; null for a decision without a signature. */
export function Signature({
  signature,
  at,
}: {
  signature: { passkeyName: string; statementSha256: string } | null | undefined;
  at: string;
}) {
  const { t } = useTranslation();
  if (!signature) return null;
  const [before = '', after = ''] = t('signature.verify', { command }).split(command);
  return (
    <details>
      <summary>
        <Badge tone="good" icon="shield">
          {t('signature.signed')}
        </Badge>
      </summary>
      <Text size="sm">
        {t('signature.passkey', { name: signature.passkeyName })} ·{' '}
        <Timestamp iso={at} as="moment" />
      </Text>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {t('signature.hash', { hash: signature.statementSha256 })}
      </Text>
      <Text size="xs" c="dimmed">
        {before}
        <code style={{ whiteSpace: 'nowrap' }}>{command}</code>
        {after}
      </Text>
    </details>
  );
}

const command = 'countersign audit verify --pack FILE';
