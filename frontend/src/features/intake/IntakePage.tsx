// The upload page: choose files, send them, and follow their cases.
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useSelector } from '@xstate/react';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Client, useClient, useQuery } from 'urql';
import { attributeFault } from '../../lib/attributes';
import { uploadLimits } from '../../lib/files';
import { listOf } from '../../lib/format';
import { useStore } from '../../lib/store';
import { missingDocument } from '../../lib/supporting';
import { ButtonWithReason } from '../../ui/buttons';
import { Dropzone } from '../../ui/Dropzone';
import { EmptyState, ErrorState, LoadingState, Notice, PageHeader } from '../../ui/states';
import { VirtualList } from '../../ui/VirtualList';
import type { UploadItem } from './batch';
import { useIntakeDraft } from './draft';
import { ReceivedDocument, UploadRow } from './IntakeRow';
import { SubmittedCases } from './intake.graphql';
import classes from './intake.module.css';
import { isCompleteMetadata, MetadataFields } from './MetadataFields';
import { ReturnedNotice } from './ReturnedNotice';
import { useRefusedAttributes } from './refused-attributes';
import { makeBatch, type UploadMetadata } from './send';
import { useUploadCounts } from './upload-counts';

const keyOf = ({ key }: UploadItem) => key;

type PageBatch = ReturnType<typeof makeBatch>;
let batch: PageBatch | null = null;

/** The batch of the application; navigation does not interrupt its uploads. */
function sharedBatch(client: Client): PageBatch {
  batch ??= makeBatch(client);
  return batch;
}

export function IntakePage() {
  const { t } = useTranslation();
  const client = useClient();
  const uploads = sharedBatch(client);
  const items = useStore(uploads.items);
  const limits = useStore(uploadLimits);
  const [{ metadata, sent, held }, setDraft] = useIntakeDraft();
  const [tooMany, setTooMany] = useState(false);
  const isComplete = isCompleteMetadata(metadata);
  const { order } = metadata;
  const refused = useRefusedAttributes(items, uploads.metadata, metadata);
  const underWay = useOrderUnderWay(sent?.item ?? null);
  const addFiles = (files: File[], documents = metadata.documents) => {
    const many = (order !== null || documents.length > 0) && files.length > 1;
    setTooMany(many);
    if (many) return;
    for (const file of files) uploads.metadata.set(file, { ...metadata, documents });
    const [item] = uploads.add(files, limits);
    if (order && item) setDraft({ sent: { item, order } });
    // A file belongs to one case, so the next document needs others.
    if (metadata.documents.length > 0) setDraft({ metadata: { ...metadata, documents: [] } });
  };
  /** Files that are chosen before the form is complete are kept until the user sends them. */
  const chooseFiles = (files: File[]) => {
    if (isComplete) addFiles(files);
    else setDraft({ held: files });
  };
  /** Sends a refused file again, with its supporting documents unless others were chosen since. */
  const sendAgain = (file: File) => {
    const { documents } = metadata;
    const earlier = uploads.metadata.get(file)?.documents ?? [];
    addFiles([file], documents.length > 0 ? documents : earlier);
  };
  return (
    <>
      <PageHeader title={t('titles.intake')}>{t('intake.lead')}</PageHeader>
      <Stack gap="lg">
        <ReturnedNotice />
        <section className="cs-card">
          <Stack>
            <MetadataFields
              value={metadata}
              sent={sent}
              refused={refused}
              onAgain={sendAgain}
              onChange={(next) =>
                setDraft({
                  metadata: next,
                  ...(next.order?.values.reference === '' && { sent: null }),
                })
              }
            >
              <Dropzone
                label={t('intake.drop')}
                hint={
                  isComplete
                    ? t('intake.hint', { megabytes: limits.maxBytes >> 20 })
                    : t(firstStep(metadata))
                }
                disabled={underWay}
                accept={[...limits.mediaTypes, '.xml', '.tif', '.tiff'].join(',')}
                multiple
                onFiles={chooseFiles}
              />
              {tooMany && (
                <Notice tone="bad" icon="alert" live>
                  {t(order ? 'order.form.one' : 'supporting.one')}
                </Notice>
              )}
              {held.length > 0 && (
                <HeldFiles
                  files={held}
                  reason={isComplete ? null : t(firstStep(metadata))}
                  onSend={() => {
                    setDraft({ held: [] });
                    addFiles([...held]);
                  }}
                  onRemove={() => setDraft({ held: [] })}
                />
              )}
            </MetadataFields>
          </Stack>
        </section>
        {items.length > 0 && (
          <Uploads
            items={items}
            batch={uploads}
            // A payment order is sent again from its own form.
            onAgain={
              order === null && isCompleteMetadata({ ...metadata, kinds: [] }) ? sendAgain : null
            }
          />
        )}
        <PreviousUploads items={items} />
      </Stack>
    </>
  );
}

/** Files that wait for the rest of the form. */
function HeldFiles({
  files,
  reason,
  onSend,
  onRemove,
}: {
  files: readonly File[];
  reason: string | null;
  onSend: () => void;
  onRemove: () => void;
}) {
  const { t, i18n } = useTranslation();
  const names = listOf(
    i18n.language,
    files.map(({ name }) => name),
  );
  return (
    <Notice tone="calm" icon="upload" live>
      {t('intake.held.title', { names })}
      <Group gap="xs" mt="xs">
        <ButtonWithReason disabledReason={reason} onClick={onSend}>
          {t('intake.held.send', { count: files.length })}
        </ButtonWithReason>
        <Button variant="subtle" onClick={onRemove}>
          {t('intake.held.remove', { count: files.length })}
        </Button>
      </Group>
    </Notice>
  );
}

/** What the user does before files can be sent. */
function firstStep({ order, declared, attributes, kinds, documents }: UploadMetadata) {
  if (missingDocument(kinds, documents)) return 'supporting.first';
  if (declared.some((one) => attributeFault(one, attributes[one.name] ?? '') !== null))
    return 'intake.attributes.first';
  return order ? 'order.form.first' : 'intake.stated.first';
}

const underWayStates = new Set(['judging', 'waiting', 'sending', 'pausing', 'signedOut']);

/** Whether the upload with the present order has not ended, so that no other file is chosen for it. */
function useOrderUnderWay(item: UploadItem | null): boolean {
  return useSelector(item?.actor, (snapshot) => underWayStates.has(String(snapshot?.value)));
}

function Uploads({
  items,
  batch: uploads,
  onAgain,
}: {
  items: readonly UploadItem[];
  batch: PageBatch;
  onAgain: ((file: File) => void) | null;
}) {
  const { t } = useTranslation();
  const counts = useUploadCounts(items);
  useEffect(() => {
    if (counts.open === 0) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [counts.open]);
  return (
    <section aria-labelledby="now">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="now">
          {t('intake.now')}
        </Title>
        <Group gap="xs">
          <Text size="sm" c="dimmed" role="status">
            {t('intake.receivedCount', { received: counts.received, count: items.length })}
            {counts.failed > 0 && ` ${t('intake.receivedCountTrouble', { count: counts.failed })}`}
          </Text>
          {counts.open > 0 && (
            <Button size="compact-sm" variant="default" onClick={() => uploads.cancelAll()}>
              {t('intake.cancelAll')}
            </Button>
          )}
          {counts.removable > 0 && (
            <Button size="compact-sm" variant="default" onClick={() => uploads.clear()}>
              {t('intake.clear')}
            </Button>
          )}
        </Group>
      </Group>
      <VirtualList items={items} keyOf={keyOf} estimate={118} label={t('intake.now')}>
        {(item) => <UploadRow item={item} onAgain={onAgain} />}
      </VirtualList>
    </section>
  );
}

/** The cases submitted before this visit. */
function PreviousUploads({ items }: { items: readonly UploadItem[] }) {
  const { t } = useTranslation();
  const [{ data, error, fetching }, refetch] = useQuery({
    query: SubmittedCases,
    variables: { first: 10 },
  });
  const { received } = useUploadCounts(items);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a received file gets its case id
  const currentCaseIds = useMemo(
    () => new Set(items.map(({ actor }) => actor.getSnapshot().context.caseId)),
    [items, received],
  );
  const cases = (data?.cases.nodes ?? []).filter((one) => !currentCaseIds.has(one.id));
  if (data && cases.length === 0 && items.length > 0) return null;
  return (
    <section aria-labelledby="earlier">
      <Title order={2} id="earlier" mb="xs">
        {t('intake.earlier')}
      </Title>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
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
            <ReceivedDocument
              caseId={one.id}
              fileName={one.document?.fileName ?? null}
              loadedCase={one}
            />
          </article>
        ))
      )}
    </section>
  );
}
