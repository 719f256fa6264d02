// The documents whose amounts a finding adds up, with the amounts at that time.
import { Button, Group, Stack, Text } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { SumOfFindingQuery } from '../../graphql/generated/graphql';
import { useCaseEvents } from '../../graphql/live';
import { groupedAmount } from '../../lib/money';
import { rowName } from '../../ui/Counterparty';
import { StatusBadge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { MoneyText, Timestamp } from '../../ui/values';
import { LiveCases } from './CaseList';
import { SumOfFinding } from './sum.graphql';

type Sum = NonNullable<SumOfFindingQuery['sumDocuments']>;

const pageSize = 50;

export function SumPage() {
  const { t } = useTranslation();
  const { id, rule } = useParams({ from: '/signed-in/cases/$id/sums/$rule' });
  const [cursors, setCursors] = useState<readonly (string | null)[]>([null]);
  const [rereads, setRereads] = useState(0);
  const of = { caseId: id, rule };
  const [{ data, error }, refetch] = useQuery({
    query: SumOfFinding,
    variables: { ...of, first: pageSize, after: null },
    requestPolicy: 'cache-and-network',
  });
  const reload = useCallback(() => {
    refetch({ requestPolicy: 'network-only' });
    setRereads((before) => before + 1);
  }, [refetch]);
  const sum = data?.sumDocuments;
  // The sum is another one once the case was evaluated again.
  useCaseEvents(sum ? id : null, sum?.case.cursor, reload);
  if (error && !data) return <ErrorState error={error} onRetry={reload} />;
  if (!data) return <LoadingState lines={6} />;
  if (!sum)
    return (
      <>
        <PageHeader title={t('titles.sum')} />
        <EmptyState title={t('sums.none')}>{t('sums.noneHint')}</EmptyState>
      </>
    );
  return (
    <>
      <PageHeader title={t('titles.sum')}>
        <Link to="/cases/$id" params={{ id: sum.case.reference }}>
          {t('sums.case', { reference: sum.case.reference })}
        </Link>
      </PageHeader>
      <Summary sum={sum} />
      {sum.count > sum.hiddenCount && (
        <div className="cs-card" style={{ padding: 0, overflowX: 'auto' }}>
          <table className="cs-table" aria-label={t('titles.sum')}>
            <Heads />
            {cursors.map((after, index) => (
              <SumRows
                key={`${after} ${sum.asOf} ${rereads}`}
                variables={{ ...of, first: pageSize, after }}
                onMore={
                  index === cursors.length - 1
                    ? (next) => setCursors((before) => [...before, next])
                    : null
                }
              />
            ))}
          </table>
        </div>
      )}
    </>
  );
}

/** What was added when, and what of it the user does not see. */
function Summary({ sum }: { sum: Sum }) {
  const { t, i18n } = useTranslation();
  const text = ({ amount, currency }: Sum['sum']) =>
    `${groupedAmount(amount, i18n.language)} ${currency}`;
  return (
    <Stack gap={4} mb="md">
      <Text>{t(`sums.subject.${sum.subject}`, { count: sum.count, sum: text(sum.sum) })}</Text>
      <Text size="sm">
        {t('sums.asOf')} <Timestamp iso={sum.asOf} as="moment" /> · {t('sums.since')}{' '}
        <Timestamp iso={sum.since} as="moment" /> · {t('sums.below')}{' '}
        <MoneyText money={sum.below} /> · {t('sums.own')} <MoneyText money={sum.own} />
      </Text>
      {sum.hiddenCount > 0 && (
        <Text size="sm" data-hidden>
          {t('sums.hidden', { count: sum.hiddenCount, sum: text(sum.hiddenSum) })}
        </Text>
      )}
      {sum.missingCount > 0 && (
        <Text size="sm" data-missing>
          {t('sums.missing', { count: sum.missingCount, sum: text(sum.missingSum) })}
        </Text>
      )}
    </Stack>
  );
}

function Heads() {
  const { t } = useTranslation();
  return (
    <thead>
      <tr>
        <th scope="col">{t('case.cases.reference')}</th>
        <th scope="col">{t('case.cases.column.party')}</th>
        <th scope="col" data-number>
          {t('sums.amount')}
        </th>
        <th scope="col">{t('case.cases.column.status')}</th>
        <th scope="col">{t('case.cases.column.submitted')}</th>
      </tr>
    </thead>
  );
}

interface RowsProps {
  variables: { caseId: string; rule: string; first: number; after: string | null };
  /** Reads the page after the cursor; null if it is read already. */
  onMore: ((cursor: string) => void) | null;
}

/** A page of the documents. Their cases are followed, so that their status is the present one. */
function SumRows({ variables, onMore }: RowsProps) {
  const { t } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: SumOfFinding,
    variables,
    requestPolicy: 'cache-and-network',
  });
  const page = data?.sumDocuments;
  const next = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  return (
    <tbody>
      {page?.nodes.map(({ case: one, amount, changed }) => (
        <tr key={one.id} data-row={one.id}>
          <td>
            <Link to="/cases/$id" params={{ id: one.reference }}>
              {one.reference}
            </Link>
          </td>
          <td>{rowName(one.counterparty, one.document?.fileName)}</td>
          <td data-number>
            <MoneyText money={amount} />
            {changed && (
              <Text size="xs" c="dimmed">
                {t('sums.changed')}
              </Text>
            )}
          </td>
          <td>
            <StatusBadge status={one.status} />
          </td>
          <td>
            <Timestamp iso={one.createdAt} as="moment" />
          </td>
        </tr>
      ))}
      {(error || !page || (next && onMore)) && (
        <tr>
          <td colSpan={5}>
            {error && !page && (
              <ErrorState
                error={error}
                onRetry={() => refetch({ requestPolicy: 'network-only' })}
              />
            )}
            {!error && !page && <LoadingState lines={2} />}
            {next && onMore && (
              <Group justify="center">
                <Button variant="default" onClick={() => onMore(next)}>
                  {t('case.cases.more')}
                </Button>
              </Group>
            )}
          </td>
        </tr>
      )}
      <LiveCases rows={page?.nodes.map((node) => node.case) ?? []} />
    </tbody>
  );
}
