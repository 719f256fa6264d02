// The hits under the search box while the user types. The box owns the focus and the keys: options are
// chosen by their ids.
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { CaseAmount } from '../../ui/CaseAmount';
import { counterpartyText } from '../../ui/Counterparty';
import { StatusBadge } from '../../ui/StatusBadge';
import { Corrections } from './Corrections';
import { addressOf, type Hit } from './hits';
import { SnippetText } from './SnippetText';
import { SearchCases } from './search.graphql';
import classes from './search.module.css';
import { useSearchFailure } from './search-failure';

const shownHits = 6;

export interface SearchListProps {
  /** The words that the user typed. */
  query: string;
  listId: string;
  /** The id of the active option. */
  active: string | null;
  /** Reports the ids of the options. */
  onOptions: (ids: readonly string[]) => void;
  onPick: () => void;
}

export function SearchList({ query, listId, active, onOptions, onPick }: SearchListProps) {
  const { t } = useTranslation();
  const [{ data, error }] = useQuery({
    query: SearchCases,
    variables: { query, first: shownHits },
    requestPolicy: 'network-only',
  });
  const failure = useSearchFailure(error);
  const found = error ? undefined : data?.search;
  const hits = found?.nodes ?? [];
  const optionId = (index: number) => `${listId}-${index}`;
  const count = hits.length === 0 ? 0 : hits.length + 1;
  useEffect(() => {
    onOptions(Array.from({ length: count }, (_, index) => `${listId}-${index}`));
    return () => onOptions([]);
  }, [count, listId, onOptions]);
  const option = (index: number) => ({
    id: optionId(index),
    role: 'option',
    tabIndex: -1,
    'aria-selected': active === optionId(index),
    className: classes.option,
    onClick: onPick,
  });
  return (
    <>
      <div role="status" className={classes.state}>
        {failure ? (
          <>
            {failure.message} {failure.hint}
          </>
        ) : (
          <ListState found={found} />
        )}
      </div>
      {hits.length > 0 && (
        <div role="listbox" id={listId} aria-label={t('search.hits')}>
          {hits.map((hit, index) => (
            <Link key={hit.case.id} {...addressOf(hit, query)} {...option(index)}>
              <HitLine hit={hit} />
            </Link>
          ))}
          <Link to="/search" search={{ q: query }} {...option(hits.length)}>
            <Text size="sm" span fw={600}>
              {t('search.all', { query })}
            </Text>
          </Link>
        </div>
      )}
    </>
  );
}

interface Found {
  corrections: readonly { word: string; replacements: readonly string[] }[];
  nodes: readonly unknown[];
  pageInfo: { hasNextPage: boolean };
}

/** The number of hits, which a screen reader announces. */
function ListState({ found }: { found: Found | undefined }) {
  const { t } = useTranslation();
  if (!found) return t('search.loading');
  const count = found.nodes.length;
  if (count === 0) return t('search.nothing');
  return (
    <>
      <Corrections corrections={found.corrections} />
      {found.pageInfo.hasNextPage ? t('search.countMore', { count }) : t('search.count', { count })}
    </>
  );
}

function HitLine({ hit }: { hit: Hit }) {
  const { t } = useTranslation();
  const [snippet] = hit.snippets;
  return (
    <>
      <span className={classes.line}>
        <span className="cs-numbers">{hit.case.reference}</span>
        <StatusBadge status={hit.case.status} />
        <span className={classes.amount}>
          <CaseAmount amounts={hit.case} />
        </span>
      </span>
      <Text size="sm" span display="block" className="cs-clip">
        {counterpartyText(t, hit.case) || hit.case.document?.fileName || t('search.noParty')}
      </Text>
      {snippet && (
        <span className={classes.snippet}>
          <SnippetText snippet={snippet} />
        </span>
      )}
    </>
  );
}
