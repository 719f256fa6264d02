// The audit page of a case: its events, accesses and refusals, and the verification of its hash
// chain.
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { AuditHeadQuery } from '../../graphql/generated/graphql';
import { fileCaseId } from '../../lib/file-addresses';
import { isReference } from '../../lib/reference';
import { hasRole, usePerson } from '../../lib/session';
import { CaseAmount } from '../../ui/CaseAmount';
import { counterpartyText } from '../../ui/Counterparty';
import { ExportMenu } from '../../ui/ExportMenu';
import { Icon } from '../../ui/Icon';
import { StatusBadge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { AuditHead } from './audit.graphql';
import classes from './audit.module.css';
import { countByKind, type LineKind, lineKindOf, lineKinds } from './lines';
import { Trail } from './Trail';
import { useTrail } from './use-trail';
import { VerifyButton } from './VerifyButton';

type AuditedCaseData = NonNullable<AuditHeadQuery['case']>;

export function AuditPage() {
  const { t } = useTranslation();
  /** The id or the reference of the case. */
  const { caseId: address } = useParams({ from: '/signed-in/audit/$caseId' });
  const [{ data, error }, refetch] = useQuery({
    query: AuditHead,
    variables: isReference(address) ? { reference: address.toUpperCase() } : { id: address },
  });
  const doc = data?.case;
  const fileId = fileCaseId(doc?.document?.path);
  return (
    <>
      <PageHeader
        title={doc ? t('audit.titleOf', { reference: doc.reference }) : t('titles.audit')}
        actions={fileId && <ExportMenu kind="audit" filters={{ case: fileId }} />}
      >
        <Link to="/audit">{t('audit.others')}</Link>
      </PageHeader>
      {error && !data && (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
      )}
      {data && !doc && (
        <EmptyState icon="search" title={t('audit.noCase.title')}>
          {t('audit.noCase.text')}
        </EmptyState>
      )}
      {doc && <AuditHeader doc={doc} caseId={doc.id} />}
      {doc && <TrailSection caseId={doc.id} cursor={doc.cursor} />}
      {!data && !error && <LoadingState />}
    </>
  );
}

function AuditHeader({ doc, caseId }: { doc: AuditedCaseData; caseId: string }) {
  const { t } = useTranslation();
  const auditor = hasRole(usePerson(), 'auditor');
  return (
    <div className={`cs-card ${classes.headCard}`}>
      <Group gap="sm" fz="sm">
        <StatusBadge status={doc.status} />
        <span>
          <CaseAmount amounts={doc} />
        </span>
        <Link to="/cases/$id" params={{ id: doc.reference }}>
          {t('audit.openCase')}
        </Link>
        {auditor && doc.packPath && (
          <a href={doc.packPath} download>
            {t('audit.pack')}
          </a>
        )}
        {doc.manifestPath && (
          <a href={doc.manifestPath} download>
            {t('audit.manifest')}
          </a>
        )}
      </Group>
      <Text size="sm" className="cs-lines2" title={doc.counterparty}>
        {counterpartyText(t, doc)}
      </Text>
      {doc.chain && (
        <Text size="xs" c="dimmed" component="div">
          {t('audit.chain', { count: Number(doc.chain.length) })}{' '}
          <span className={`cs-mono ${classes.hash}`}>{doc.chain.head}</span>
        </Text>
      )}
      <VerifyButton caseId={caseId} />
    </div>
  );
}

function TrailSection({ caseId, cursor }: { caseId: string; cursor: string }) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<LineKind | 'all'>('all');
  const narrow = useMediaQuery('(max-width: 48em)') ?? false;
  const trail = useTrail(caseId, cursor);
  const { lines, error, reload: refetch, complete, newEvents } = trail;
  const print = usePrint(trail);
  if (error && !lines) return <ErrorState error={error} onRetry={refetch} />;
  if (!lines) return <LoadingState lines={10} />;
  const counts = countByKind(lines);
  const atLeast = (count: number) => (complete ? `${count}` : `${count}+`);
  const shown = kind === 'all' ? lines : lines.filter((line) => lineKindOf(line) === kind);
  return (
    <section aria-label={t('audit.trail')}>
      <Group gap="sm" my="sm" justify="space-between">
        <SegmentedControl
          aria-label={t('audit.filter')}
          size={narrow ? 'xs' : 'sm'}
          fullWidth={narrow}
          value={kind}
          onChange={(value) => setKind(value as LineKind | 'all')}
          maw="100%"
          data={[
            { value: 'all', label: t('audit.sort.all', { shown: atLeast(lines.length) }) },
            ...lineKinds.map((one) => ({
              value: one,
              label: t(`audit.sort.${one}`, { shown: atLeast(counts[one]) }),
            })),
          ]}
        />
        <span role="status">
          {newEvents > 0 && (
            <Button
              size="compact-md"
              leftSection={<Icon name="retry" size={15} />}
              onClick={refetch}
            >
              {t('audit.fresh', { count: newEvents })}
            </Button>
          )}
        </span>
        <Button
          variant="default"
          size="compact-md"
          loading={trail.loadingMore}
          onClick={() => void print()}
        >
          {t('audit.print')}
        </Button>
      </Group>
      {shown.length === 0 ? (
        <EmptyState icon="eye" title={t('audit.empty.title')}>
          {t('audit.empty.text')}
        </EmptyState>
      ) : (
        <Trail lines={shown} />
      )}
      {!complete && (
        <p className="cs-print-only">{t('audit.printMore', { count: lines.length })}</p>
      )}
      {!complete && (
        <Stack align="center" mt="sm">
          <Button
            variant="default"
            loading={trail.loadingMore}
            onClick={() => void trail.loadMore(false)}
          >
            {t('ui.more')}
          </Button>
        </Stack>
      )}
    </section>
  );
}

/** Loads the rest of the trail, then prints the page once all of it is drawn. */
function usePrint({ complete, loadMore }: ReturnType<typeof useTrail>) {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    if (!printing || !complete) return;
    setPrinting(false);
    window.print();
  }, [printing, complete]);
  return async () => setPrinting(await loadMore(true));
}
