// Selects the shown cases, or all that the filter matches up to a bound, also those that are not shown.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import type { CaseFilter, CaseSort } from '../../graphql/generated/graphql';
import { maxSelected, type Selection } from '../../lib/selection';
import type { SelectedCase } from '../../ui/BulkActions';
import { SelectShown } from '../../ui/SelectShown';
import { MatchingCases } from './case-search.graphql';

interface CaseSelectionProps {
  filter: CaseFilter | null;
  sort: CaseSort;
  /** The shown cases. */
  cases: readonly SelectedCase[];
  selection: Selection<SelectedCase>;
}

interface Found {
  cases: SelectedCase[];
  /** The filter matches more cases than the bound. */
  more: boolean;
  failed: boolean;
}

interface MatchingPage {
  cases: {
    nodes: SelectedCase[];
    pageInfo: { hasNextPage: boolean; endCursor?: string | null | undefined };
  };
}

type Reader = (after: string | null) => Promise<MatchingPage['cases'] | null>;

/** Reads the first cases of the filter, page by page. */
async function readMatching(read: Reader): Promise<Found> {
  const cases: SelectedCase[] = [];
  let after: string | null = null;
  do {
    const page: MatchingPage['cases'] | null = await read(after);
    if (!page) return { cases, more: false, failed: true };
    cases.push(...page.nodes);
    after = page.pageInfo.hasNextPage ? (page.pageInfo.endCursor ?? null) : null;
  } while (after !== null && cases.length < maxSelected);
  return { cases, more: after !== null, failed: false };
}

function useMatching(filter: CaseFilter | null, sort: CaseSort) {
  const client = useClient();
  return () =>
    readMatching(async (after) => {
      const { data } = await client
        .query(
          MatchingCases,
          { first: 100, after, filter, sort },
          { requestPolicy: 'network-only' },
        )
        .toPromise();
      return data?.cases ?? null;
    });
}

export function CaseSelection({ filter, sort, cases, selection }: CaseSelectionProps) {
  const { t } = useTranslation();
  const read = useMatching(filter, sort);
  const [loading, setLoading] = useState(false);
  const [found, setFound] = useState<Found | null>(null);
  const chosen = cases.filter(({ id }) => selection.chosen.has(id)).length;
  const selectMatching = async () => {
    setLoading(true);
    const matching = await read();
    setLoading(false);
    setFound(matching);
    selection.clear();
    selection.add(matching.cases);
  };
  const message = found && selection.chosen.size > 0 && (
    <Text size="sm" role="status">
      {found.failed
        ? t('case.cases.selectFailed')
        : found.more
          ? t('case.cases.selectedFirst', { count: maxSelected })
          : t('case.cases.selectedAll', { count: found.cases.length })}
    </Text>
  );
  return (
    <Group gap="sm" mb={4} px={14} mih={30}>
      <SelectShown
        label={t('case.cases.chooseAll')}
        shown={Math.min(cases.length, maxSelected)}
        chosen={chosen}
        onAll={() => {
          setFound(null);
          selection.add(cases);
        }}
        onNone={() => {
          setFound(null);
          selection.clear();
        }}
      />
      <Button
        variant="subtle"
        size="compact-sm"
        loading={loading}
        onClick={() => void selectMatching()}
      >
        {t('case.cases.selectMatching', { count: maxSelected })}
      </Button>
      {found && selection.chosen.size === found.cases.length && message}
      {selection.chosen.size >= maxSelected && !found && (
        <Text size="sm" role="status">
          {t('case.cases.full', { count: maxSelected })}
        </Text>
      )}
    </Group>
  );
}
