// The start page of an audit: a case search, and the verification of all hash chains.
import { Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { hasRole, usePerson } from '../../lib/session';
import { CaseAmount } from '../../ui/CaseAmount';
import { counterpartyText } from '../../ui/Counterparty';
import { ExportMenu } from '../../ui/ExportMenu';
import { Icon } from '../../ui/Icon';
import { StatusBadge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import { AuditSearch } from './AuditSearch';
import { CasesToAudit } from './audit.graphql';
import classes from './audit.module.css';
import { CheckpointStatus } from './CheckpointStatus';
import { VerifyButton } from './VerifyButton';

export function AuditStartPage() {
  const { t } = useTranslation();
  const auditor = hasRole(usePerson(), 'auditor');
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text.trim(), 250);
  return (
    <>
      <PageHeader
        title={t('titles.audit')}
        actions={<ExportMenu kind="audit" filters={{ text: query }} />}
      >
        {t('audit.start.intro')}
      </PageHeader>
      <Stack gap="lg">
        <section className="cs-card" aria-labelledby="whole-record">
          <Title order={2} id="whole-record">
            {t('audit.start.whole')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('audit.start.wholeHint')}
          </Text>
          <VerifyButton />
        </section>
        {auditor && <CheckpointStatus />}
        <AuditSearch />
        <section aria-labelledby="one-case">
          <Title order={2} id="one-case" mb="xs">
            {t('audit.start.case')}
          </Title>
          <TextInput
            type="search"
            label={t('audit.start.search')}
            leftSection={<Icon name="search" />}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            maw="32rem"
            mb="sm"
          />
          <SearchResults text={query} after={null} first />
        </section>
      </Stack>
    </>
  );
}

/** One page of search results, followed by the next when it is requested. */
function SearchResults({
  text,
  after,
  first,
}: {
  text: string;
  after: string | null;
  first?: boolean;
}) {
  const { t } = useTranslation();
  const [more, setMore] = useState(false);
  const [{ data, error }, refetch] = useQuery({
    query: CasesToAudit,
    variables: { text, after },
    requestPolicy: 'cache-and-network',
  });
  if (error && !data)
    return <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />;
  if (!data) return <LoadingState lines={5} />;
  const { nodes, pageInfo } = data.cases;
  if (nodes.length === 0 && first) {
    return (
      <EmptyState icon="search" title={t('audit.start.none')}>
        {text === '' ? t('audit.start.noneYet') : t('audit.start.noneFound', { text })}
      </EmptyState>
    );
  }
  return (
    <>
      <ul className={`cs-card ${classes.cases}`} aria-label={t('audit.start.cases')}>
        {nodes.map((doc) => (
          <li key={doc.id} className={classes.case}>
            <Link to="/audit/$caseId" params={{ caseId: doc.reference }}>
              {doc.reference}
            </Link>
            <span className={`cs-lines2 ${classes.party}`} title={doc.counterparty}>
              {counterpartyText(t, doc)}
            </span>
            <StatusBadge status={doc.status} />
            <span>
              <CaseAmount amounts={doc} />
            </span>
            <Timestamp iso={doc.createdAt} as="moment" />
          </li>
        ))}
      </ul>
      {pageInfo.hasNextPage && !more && (
        <Button variant="default" mt="sm" onClick={() => setMore(true)}>
          {t('ui.more')}
        </Button>
      )}
      {pageInfo.hasNextPage && more && (
        <SearchResults key={text} text={text} after={pageInfo.endCursor} />
      )}
    </>
  );
}
