// The pages of a document that are only viewed: no field is marked on them and no word is taken.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PageImage, type PageScan } from '../PageImage';
import { usePageView } from '../page-view';

export function PlainPages({ pages, label }: { pages: readonly PageScan[]; label: string }) {
  const { t } = useTranslation();
  const view = usePageView();
  if (pages.length === 0) return <Text c="dimmed">{t('pages.none')}</Text>;
  return (
    <PageImage
      pages={pages}
      boxes={[]}
      highlighted={null}
      onPick={() => undefined}
      view={view}
      label={label}
    />
  );
}
