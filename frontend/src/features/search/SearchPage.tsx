// The results of a search. The address holds the words.
import { Button, Group, Text } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { CaseAmount } from '../../ui/CaseAmount';
import { counterpartyText } from '../../ui/Counterparty';
import { StatusBadge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState, Notice, PageHeader } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import { Corrections } from './Corrections';
import { addressOf, type Hit } from './hits';
import { SnippetText } from './SnippetText';
import { SearchCases } from './search.graphql';
import classes from './search.module.css';
import { useSearchFailure } from './search-failure';

const pageSize = 20;

export function SearchPage() {
  const { t } = useTranslation();
  const query = useSearch({ from: '/signed-in/search' }).q?.trim() ?? '';
  if (query === '')
    return (
      <>
        <PageHeader title={t('titles.search')} />
        <div className="cs-card">
          <EmptyState icon="search" title={t('search.intro.title')}>
            {t('search.intro.text')}
          </EmptyState>
        </div>
      </>
    );
  return (
    <>
      <PageHeader title={t('search.title', { query })} />
      <Results key={query} query={query} />
    </>
  );
}

function Results({ query }: { query: string }) {
  const [cursors, setCursors] = useState<(string | null)[]>([null]);
  return cursors.map((after, index) => (
    <ResultsSlice
      key={after ?? ''}
      query={query}
      after={after}
      last={index === cursors.length - 1}
      onMore={(cursor) => setCursors((previous) => [...previous, cursor])}
    />
  ));
}

interface ResultsSliceProps {
  query: string;
  after: string | null;
  last: boolean;
  onMore: (cursor: string) => void;
}

function ResultsSlice({ query, after, last, onMore }: ResultsSliceProps) {
  const { t } = useTranslation();
  const [{ data, error, fetching }, refetch] = useQuery({
    query: SearchCases,
    variables: { query, first: pageSize, after },
    requestPolicy: 'cache-and-network',
  });
  const failure = useSearchFailure(error);
  if (error && !data) {
    if (!failure?.refused)
      return (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
      );
    return (
      <div className="cs-card" role="alert">
        <EmptyState icon="search" title={failure.message}>
          {failure.hint}
        </EmptyState>
      </div>
    );
  }
  if (!data) return fetching ? <LoadingState lines={8} /> : null;
  const { nodes, corrections, pageInfo } = data.search;
  const { hasNextPage, endCursor } = pageInfo;
  if (nodes.length === 0 && after === null)
    return (
      <div className="cs-card" role="status">
        <EmptyState icon="search" title={t('search.nothing')}>
          {t('search.nothingText', { query })}
        </EmptyState>
      </div>
    );
  return (
    <>
      {after === null && corrections.length > 0 && (
        <Notice tone="warn" icon="search" live>
          <Corrections corrections={corrections} />
        </Notice>
      )}
      {after === null && (
        <Text size="sm" c="dimmed" role="status" my="xs">
          {t(hasNextPage ? 'search.countMore' : 'search.count', { count: nodes.length })}
        </Text>
      )}
      <ul className={classes.hits} aria-label={t('search.hits')}>
        {nodes.map((hit) => (
          <HitCard key={hit.case.id} hit={hit} query={query} />
        ))}
      </ul>
      {last && hasNextPage && endCursor && (
        <Group justify="center" mt="md">
          <Button variant="default" onClick={() => onMore(endCursor)}>
            {t('search.more')}
          </Button>
        </Group>
      )}
    </>
  );
}

function HitCard({ hit, query }: { hit: Hit; query: string }) {
  const { t } = useTranslation();
  const { counterparty, document, reference, status, createdAt } = hit.case;
  return (
    <li className="cs-card">
      <span className={classes.line}>
        <Link className="cs-numbers" {...addressOf(hit, query)}>
          {reference}
        </Link>
        <StatusBadge status={status} />
        <Text size="sm" span c="dimmed">
          <Timestamp iso={createdAt} as="moment" />
        </Text>
        <Text size="sm" span fw={600} className={classes.amount}>
          <CaseAmount amounts={hit.case} />
        </Text>
      </span>
      <Text fw={560} className="cs-lines2" title={counterparty}>
        {counterpartyText(t, hit.case) || document?.fileName || t('search.noParty')}
      </Text>
      <ul className={classes.snippets}>
        {hit.snippets.map((snippet) => (
          <li key={`${snippet.kind} ${snippet.field} ${snippet.page?.number} ${snippet.text}`}>
            {snippet.page ? (
              <Link {...addressOf(hit, query, snippet)}>
                <SnippetText snippet={snippet} />
              </Link>
            ) : (
              <SnippetText snippet={snippet} />
            )}
          </li>
        ))}
      </ul>
    </li>
  );
}
