// The documents that a bulk approval is about: reference, vendor, amount and findings, and the sums.
import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CombinedError, useClient } from 'urql';
import type { BulkQuestionQuery } from '../../graphql/generated/graphql';
import { findingTitle } from '../../lib/labels';
import { ErrorState, LoadingState } from '../../ui/states';
import { MoneyText } from '../../ui/values';
import { BulkQuestion } from './bulk.graphql';
import classes from './bulk.module.css';
import type { Target } from './plan';
import { sumsOf } from './sums';

type Asked = NonNullable<BulkQuestionQuery['reviews']['nodes'][number]['case']>;

/** The cases of one request, whose reviews fit on one page. */
const partSize = 25;

/** The cases of the targets in their order; null while they are read. */
function useAsked(targets: readonly Target[]) {
  const client = useClient();
  const [asked, setAsked] = useState<readonly Asked[] | null>(null);
  const [error, setError] = useState<CombinedError | null>(null);
  const key = targets.map(({ review }) => review.id).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key has the targets
  useEffect(() => {
    let stopped = false;
    const read = async () => {
      const found = new Map<string, Asked>();
      for (let at = 0; at < targets.length && !stopped; at += partSize) {
        const cases = targets.slice(at, at + partSize).map(({ caseId }) => caseId);
        const { data, error: failed } = await client
          .query(BulkQuestion, { filter: { cases } }, { requestPolicy: 'network-only' })
          .toPromise();
        if (stopped) return;
        if (failed) return setError(failed);
        for (const one of data?.reviews.nodes ?? []) if (one.case) found.set(one.case.id, one.case);
      }
      setAsked(targets.flatMap(({ caseId }) => found.get(caseId) ?? []));
    };
    void read();
    return () => {
      stopped = true;
    };
  }, [client, key]);
  return { asked, error };
}

export function ApprovedList({ targets }: { targets: readonly Target[] }) {
  const { t, i18n } = useTranslation();
  const { asked, error } = useAsked(targets);
  if (error) return <ErrorState error={error} />;
  if (!asked) return <LoadingState lines={2} />;
  return (
    <>
      <ul className={classes.asked} aria-label={t('bulk.asked')}>
        {asked.map(({ id, reference, counterparty, amount, findings }) => (
          <li key={id}>
            <Text size="sm" fw={600}>
              {reference} {counterparty} <MoneyText money={amount} />
            </Text>
            <Text size="xs" c="dimmed">
              {findings.length === 0
                ? t('bulk.noFindings')
                : findings
                    .map((finding) => findingTitle(i18n.language, finding))
                    .join(t('caseLabels.next.comma'))}
            </Text>
          </li>
        ))}
      </ul>
      <Text size="sm" fw={600}>
        {t('bulk.sum')}{' '}
        {sumsOf(asked.map(({ amount }) => amount)).map((sum, index) => (
          <span key={sum.currency}>
            {index > 0 && t('caseLabels.next.comma')}
            <MoneyText money={sum} />
          </span>
        ))}
      </Text>
    </>
  );
}
