// The processes that cases go through: their versions, and their steps in order.
import { NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { When } from '../../ui/values';
import { Processes } from './definitions.graphql';
import classes from './definitions.module.css';
import { byKey, type Definition, nameIn, otherLanguage } from './processes';
import { Steps } from './Steps';

export function DefinitionsPage() {
  const { t } = useTranslation();
  const [{ data, error }, again] = useQuery({ query: Processes, requestPolicy: 'cache-and-network' });
  const processes = byKey(data?.processDefinitions.nodes ?? []);
  return (
    <>
      <PageHeader title={t('definitions.title')}>{t('definitions.intro')}</PageHeader>
      {error && !data && <ErrorState error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />}
      {!error && !data && <LoadingState lines={10} />}
      {data && processes.length === 0 && (
        <EmptyState icon="flow" title={t('definitions.empty.title')}>
          {t('definitions.empty.text')} <code className="cs-mono">countersign migrate</code>
        </EmptyState>
      )}
      <Stack gap="lg">
        {processes.map(([key, versions]) => (
          <Process key={key} versions={versions} />
        ))}
      </Stack>
    </>
  );
}

function Process({ versions }: { versions: Definition[] }) {
  const { t, i18n } = useTranslation();
  const [chosen, setChosen] = useState<number | null>(null);
  const shown = versions.find((one) => one.version === chosen) ?? versions[0];
  if (!shown) return null;
  const newest = shown === versions[0];
  return (
    <section className={`cs-card ${classes.process}`} aria-labelledby={`process-${shown.key}`}>
      <div className={classes.head}>
        <div className={classes.names}>
          <Title order={2} id={`process-${shown.key}`} className="cs-lines2">
            {nameIn(shown.titles, i18n.language, shown.title)}
          </Title>
          <Text size="sm" c="dimmed" className="cs-lines2" lang={otherLanguage(i18n.language)}>
            {nameIn(shown.titles, otherLanguage(i18n.language), '')}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            <span className="cs-mono">{shown.key}</span>
            {shown.documentTypes.length > 0 && ` · ${t('definitions.for', { types: shown.documentTypes.join(', ') })}`}
          </Text>
        </div>
        <div>
          {versions.length > 1 ? (
            <NativeSelect
              label={t('definitions.versionLabel')}
              value={String(shown.version)}
              onChange={(event) => setChosen(Number(event.currentTarget.value))}
              data={versions.map((one, index) => ({
                value: String(one.version),
                label:
                  index === 0
                    ? t('definitions.versionInForce', { version: one.version })
                    : t('definitions.version', { version: one.version }),
              }))}
            />
          ) : (
            <Text size="sm">{t('definitions.versionInForce', { version: shown.version })}</Text>
          )}
          <Text size="xs" c="dimmed">
            {t('definitions.published')} <When iso={shown.publishedAt} as="moment" />
          </Text>
          {!newest && <Text size="xs">{t('definitions.older')}</Text>}
        </div>
      </div>
      <Steps nodes={shown.nodes} />
    </section>
  );
}
