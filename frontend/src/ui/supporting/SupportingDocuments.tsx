// The supporting documents of a case, by their kinds. No value of the case is read from them.

import { Button, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { sizeText } from '../../lib/format';
import { documentLabel, type SupportingFile, type SupportingViewer } from '../../lib/supporting';
import { whenOnline } from '../../lib/when-online';
import { Icon } from '../Icon';
import { LoadingState } from '../states';

const Pages = lazy(() =>
  whenOnline(async () => ({ default: (await import('./SupportingPages')).SupportingPages })),
);

interface SupportingDocumentsProps {
  documents: readonly SupportingFile[];
  viewer: SupportingViewer;
}

export function SupportingDocuments({ documents, viewer }: SupportingDocumentsProps) {
  const { t } = useTranslation();
  const shown = documents.find(({ number }) => number === viewer.shown);
  if (documents.length === 0) return null;
  return (
    <section className="cs-card" aria-labelledby="supporting-documents">
      <Text size="sm" fw={600} id="supporting-documents" component="h2">
        {t('supporting.title')}
      </Text>
      <Text size="xs" c="dimmed">
        {t('supporting.hint')}
      </Text>
      <ul className="cs-supporting">
        {documents.map((one) => (
          <SupportingRow key={one.number} document={one} onShow={() => viewer.show(one.number)} />
        ))}
      </ul>
      {shown && (
        <Suspense fallback={<LoadingState lines={3} />}>
          <Pages viewer={viewer} document={shown} />
        </Suspense>
      )}
    </section>
  );
}

function SupportingRow({ document, onShow }: { document: SupportingFile; onShow: () => void }) {
  const { t, i18n } = useTranslation();
  const { fileName, path, mediaType, size, sha256, current } = document;
  return (
    <li>
      <Icon name="file" />
      <div>
        <Text size="sm" fw={560}>
          {documentLabel(document, i18n.language)}
          {!current && ` ${t('supporting.replaced')}`}
        </Text>
        <a href={path} download={fileName} className="cs-lines2" title={fileName}>
          {fileName}
        </a>
        <Text size="xs" c="dimmed">
          {mediaType} · {sizeText(Number(size), i18n.language)}
        </Text>
        <Text size="xs" c="dimmed" className="cs-mono cs-clip" title={sha256}>
          {t('supporting.hash', { hash: sha256 })}
        </Text>
        <Button
          variant="default"
          size="compact-sm"
          aria-label={t('supporting.showOf', { name: fileName })}
          onClick={onShow}
        >
          {t('supporting.show')}
        </Button>
      </div>
    </li>
  );
}
