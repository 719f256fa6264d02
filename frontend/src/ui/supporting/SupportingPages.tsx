// The pages of a supporting document.
import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SupportingFile, SupportingViewer } from '../../lib/supporting';
import { PageImage } from '../PageImage';
import { usePageView } from '../page-view';
import { EmptyState, ErrorState, LoadingState } from '../states';

interface SupportingPagesProps {
  viewer: SupportingViewer;
  document: SupportingFile;
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
  const view = usePageView();
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
    <PageImage
      pages={reading.pages}
      boxes={[]}
      highlighted={null}
      onPick={() => undefined}
      view={view}
      strip={{
        label: t('supporting.view.strip', { name: document.fileName }),
        position: (page, count) => t('supporting.view.position', { page, count }),
      }}
      label={t('supporting.view.label', { name: document.fileName })}
      labels={{
        smaller: t('supporting.view.smaller'),
        larger: t('supporting.view.larger'),
        fitWidth: t('supporting.view.fitWidth'),
        fitPage: t('supporting.view.fitPage'),
        rotate: t('supporting.view.rotate'),
      }}
    />
  );
}
