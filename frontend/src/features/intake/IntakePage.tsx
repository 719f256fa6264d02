// Where documents come in: files are dropped, sent, and followed to the archive.
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Client, useClient, useQuery } from 'urql';
import { uploadLimits } from '../../lib/files';
import { useStore } from '../../lib/store';
import { Dropzone } from '../../ui/DropPlace';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { VirtualList } from '../../ui/VirtualList';
import type { Item } from './batch';
import { SentBefore } from './intake.graphql';
import classes from './intake.module.css';
import { Received, UploadRow } from './Row';
import { isWhole, nothingStated, StatementFields } from './StatementFields';
import { makeBatch, type Statement } from './send';
import { useTally } from './tally';

type PageBatch = ReturnType<typeof makeBatch>;
let batch: PageBatch | null = null;

/** The one batch of the open application: going to another page and back ends no upload. */
function theBatch(client: Client): PageBatch {
  batch ??= makeBatch(client);
  return batch;
}

export function IntakePage() {
  const { t } = useTranslation();
  const client = useClient();
  const uploads = theBatch(client);
  const items = useStore(uploads.items);
  const limits = useStore(uploadLimits);
  const [statement, setStatement] = useState<Statement>(nothingStated);
  const whole = isWhole(statement);
  const take = (files: File[]) => {
    for (const file of files) uploads.stated.set(file, statement);
    uploads.add(files, limits);
  };
  return (
    <>
      <PageHeader title={t('intake.title')}>{t('intake.lead')}</PageHeader>
      <Stack gap="lg">
        <section className="cs-card">
          <Stack>
            <Dropzone
              label={t('intake.drop')}
              hint={
                whole
                  ? t('intake.hint', { megabytes: limits.maxBytes >> 20 })
                  : t('intake.stated.first')
              }
              disabled={!whole}
              accept={[...limits.mediaTypes, '.xml', '.tif', '.tiff'].join(',')}
              multiple
              onFiles={take}
            />
            <StatementFields value={statement} onChange={setStatement} />
          </Stack>
        </section>
        {items.length > 0 && <Uploads items={items} batch={uploads} />}
        <Earlier fresh={items} />
      </Stack>
    </>
  );
}

function Uploads({ items, batch: uploads }: { items: readonly Item[]; batch: PageBatch }) {
  const { t } = useTranslation();
  const tally = useTally(items);
  useEffect(() => {
    if (tally.open === 0) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [tally.open]);
  return (
    <section aria-labelledby="now">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="now">
          {t('intake.now')}
        </Title>
        <Group gap="xs">
          <Text size="sm" c="dimmed" role="status">
            {t('intake.tally', { received: tally.received, count: items.length })}
            {tally.trouble > 0 && ` ${t('intake.tallyTrouble', { count: tally.trouble })}`}
          </Text>
          {tally.open > 0 && (
            <Button size="compact-sm" variant="default" onClick={() => uploads.cancelAll()}>
              {t('intake.cancelAll')}
            </Button>
          )}
          {tally.gone > 0 && (
            <Button size="compact-sm" variant="default" onClick={() => uploads.clear()}>
              {t('intake.clear')}
            </Button>
          )}
        </Group>
      </Group>
      <VirtualList items={items} keyOf={(item) => item.key} estimate={118} label={t('intake.now')}>
        {(item) => <UploadRow item={item} />}
      </VirtualList>
    </section>
  );
}

/** What was sent before this page was opened. */
function Earlier({ fresh }: { fresh: readonly Item[] }) {
  const { t } = useTranslation();
  const [{ data, error, fetching }, again] = useQuery({
    query: SentBefore,
    variables: { first: 10 },
  });
  const { received } = useTally(fresh);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file becomes a case when it is received
  const here = useMemo(
    () => new Set(fresh.map(({ actor }) => actor.getSnapshot().context.caseId)),
    [fresh, received],
  );
  const cases = (data?.cases.nodes ?? []).filter((one) => !here.has(one.id));
  if (data && cases.length === 0 && fresh.length > 0) return null;
  return (
    <section aria-labelledby="earlier">
      <Title order={2} id="earlier" mb="xs">
        {t('intake.earlier')}
      </Title>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
      ) : fetching && !data ? (
        <LoadingState lines={5} />
      ) : cases.length === 0 ? (
        <div className="cs-card">
          <EmptyState icon="upload" title={t('intake.emptyTitle')}>
            {t('intake.emptyText')}
          </EmptyState>
        </div>
      ) : (
        cases.map((one) => (
          <article
            key={one.id}
            className={`cs-card ${classes.row}`}
            aria-label={one.document?.fileName ?? one.reference}
          >
            <Received caseId={one.id} fileName={one.document?.fileName ?? null} known={one} />
          </article>
        ))
      )}
    </section>
  );
}
