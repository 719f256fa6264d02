// What language models were asked about a case: collapsed until the user opens it.

import { Button, Text, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { ModelEntry } from '../../lib/model-runs';
import type { Failure } from '../../lib/refusals';
import { whenOnline } from '../../lib/when-online';
import { Icon } from '../Icon';
import { ErrorState, LoadingState } from '../states';
import classes from './model.module.css';

const Entries = lazy(() =>
  whenOnline(async () => ({ default: (await import('./ModelEntries')).ModelEntries })),
);

interface ModelPanelProps {
  opened: boolean;
  /** Oldest first; null while loading. */
  entries: readonly ModelEntry[] | null;
  failure: Failure | null;
  toggle: () => void;
  retry: () => void;
}

export function ModelPanel({ opened, entries, failure, toggle, retry }: ModelPanelProps) {
  const { t } = useTranslation();
  return (
    <section className="cs-card" aria-labelledby="language-model">
      <div className={classes.head}>
        <Title order={2} id="language-model">
          {t('model.title')}
        </Title>
        <Button
          variant="subtle"
          size="compact-sm"
          aria-expanded={opened}
          rightSection={<Icon name="right" size={14} />}
          onClick={toggle}
        >
          {t(opened ? 'model.hide' : 'model.show')}
        </Button>
      </div>
      {opened && failure && <ErrorState error={failure} onRetry={retry} />}
      {opened && !failure && entries === null && <LoadingState lines={3} />}
      {opened && !failure && entries?.length === 0 && <Text c="dimmed">{t('model.none')}</Text>}
      {opened && !failure && entries !== null && entries.length > 0 && (
        <Suspense fallback={<LoadingState lines={3} />}>
          <Entries entries={entries} />
        </Suspense>
      )}
    </section>
  );
}
