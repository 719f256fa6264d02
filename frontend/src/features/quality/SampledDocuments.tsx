// The supporting documents of a sample, which the deciders had beside the document.

import { Button, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { documentLabel } from '../../lib/supporting';
import { whenOnline } from '../../lib/when-online';
import { Icon } from '../../ui/Icon';
import { LoadingState } from '../../ui/states';
import type { Task } from './QualityTaskPanel';

const Pages = lazy(() =>
  whenOnline(async () => ({
    default: (await import('../../ui/supporting/SupportingPages')).SupportingPages,
  })),
);

type Documents = Task['supporting'];

export function SampledDocuments({ documents }: { documents: Documents }) {
  const { t, i18n } = useTranslation();
  const [shown, setShown] = useState<number | null>(null);
  if (documents.length === 0) return null;
  const nameOf = (one: Documents[number]) =>
    t('quality.supportingName', {
      number: one.number,
      label: documentLabel(one, i18n.language),
    });
  const document = documents.find(({ number }) => number === shown);
  const viewer = {
    shown,
    readings: documents,
    failure: null,
    show: setShown,
    close: () => setShown(null),
    retry: () => undefined,
  };
  return (
    <section className="cs-card" aria-labelledby="sampled-documents">
      <Text size="sm" fw={600} id="sampled-documents" component="h2">
        {t('supporting.title')}
      </Text>
      <ul className="cs-supporting">
        {documents.map((one) => (
          <li key={one.number}>
            <Icon name="file" />
            <div>
              <Text size="sm" fw={560}>
                {nameOf(one)}
              </Text>
              {one.file ? (
                <a href={one.file} target="_blank" rel="noreferrer">
                  {t('quality.openFile')}
                </a>
              ) : (
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={t('supporting.showOf', { name: nameOf(one) })}
                  onClick={() => setShown(one.number)}
                >
                  {t('supporting.show')}
                </Button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {document && (
        <Suspense fallback={<LoadingState lines={3} />}>
          <Pages
            viewer={viewer}
            document={{ number: document.number, fileName: nameOf(document), current: true }}
          />
        </Suspense>
      )}
    </section>
  );
}
