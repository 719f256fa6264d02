// When and by whom a version was published, if the user may know.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PersonName, Timestamp } from '../../ui/values';

export interface PublishedVersion {
  publishedAt: string;
  publishedBy?: { name: string } | null;
}

export function Published({ version }: { version: PublishedVersion }) {
  const { t } = useTranslation();
  return (
    <Text size="xs" c="dimmed">
      {t('definitions.published')} <Timestamp iso={version.publishedAt} as="moment" />
      {version.publishedBy && (
        <>
          {' · '}
          <PersonName person={version.publishedBy} />
        </>
      )}
    </Text>
  );
}
