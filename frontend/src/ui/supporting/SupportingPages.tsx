// The pages of a supporting document.
import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SupportingFile, SupportingViewer } from '../../lib/supporting';
import { PlainPages } from '../pages/PlainPages';
import { EmptyState, ErrorState, LoadingState } from '../states';

interface SupportingPagesProps {
  viewer: SupportingViewer;
  /** fileName is the title of the pages. */
  document: Pick<SupportingFile, 'number' | 'fileName' | 'current'>;
}

export function SupportingPages(props: SupportingPagesProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={props.viewer.close}
      size="60rem"
      yOffset="1dvh"
      title={props.document.fileName}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      <div className="cs-supporting-pages">
        <Shown {...props} />
      </div>
    </Modal>
  );
}

function Shown({ viewer, document }: SupportingPagesProps) {
  const { t } = useTranslation();
  const { readings, failure, retry } = viewer;
  if (failure) return <ErrorState error={failure} onRetry={retry} />;
  if (!readings) return <LoadingState lines={8} />;
  const reading = readings.find(({ number }) => number === document.number);
  if (!reading?.read)
    return (
      <EmptyState icon="clock" title={t(`supporting.${document.current ? 'unread' : 'notRead'}`)} />
    );
  if (reading.pages.length === 0) return <EmptyState icon="file" title={t('supporting.noPages')} />;
  return (
    <PlainPages
      pages={reading.pages}
      label={t('supporting.pagesOf', { name: document.fileName })}
    />
  );
}
