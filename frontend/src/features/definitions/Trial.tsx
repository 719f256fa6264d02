// Compares the findings of a rule set on a case with the current findings.
import { Group, Text, TextInput, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery } from 'urql';
import type { TrialLineFragment, TryRuleSetQuery } from '../../graphql/generated/graphql';
import { evidenceText } from '../../lib/evidence';
import { documentTypeLabels, failureMessage } from '../../lib/labels';
import { type Failure, failureOf } from '../../lib/refusals';
import { withValueTexts } from '../../lib/value-text';
import { ButtonWithReason } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { Notice } from '../../ui/states';
import classes from './definitions.module.css';
import { localizedName } from './processes';
import { SeverityBadge } from './RuleList';
import { CasesToTry, TryRuleSet } from './rules.graphql';

type Result = TryRuleSetQuery['tryRuleSet'];
type Case = { id: string; reference: string };

export function Trial({ text, obstacle }: { text: string; obstacle: string | null }) {
  const { t, i18n } = useTranslation();
  const client = useClient();
  const [search, setSearch] = useState('');
  const [{ data }] = useQuery({
    query: CasesToTry,
    variables: { text: search.trim() },
    pause: search.trim() === '',
  });
  const [trial, setTrial] = useState<{
    testCase: Case;
    text: string;
    result: Result | null;
    failure: Failure | null;
  } | null>(null);
  const runTrial = async (testCase: Case) => {
    const variables = { document: text, caseId: testCase.id };
    const response = await client
      .query(TryRuleSet, variables, { requestPolicy: 'network-only' })
      .toPromise();
    const failure = response.error ? failureOf(response.error) : null;
    setTrial({ testCase, text, result: response.data?.tryRuleSet ?? null, failure });
  };
  const cases = search.trim() === '' ? [] : (data?.cases.nodes ?? []);
  return (
    <section className="cs-card" aria-labelledby="trial">
      <Title order={2} id="trial">
        {t('definitions.trial.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('definitions.trial.intro')}
      </Text>
      <TextInput
        type="search"
        label={t('definitions.trial.search')}
        leftSection={<Icon name="search" />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <ul className={classes.resultList}>
        {cases.map((testCase) => (
          <li key={testCase.id}>
            <Group gap="xs">
              <ButtonWithReason
                disabledReason={obstacle}
                variant="default"
                size="compact-sm"
                onClick={() => void runTrial(testCase)}
              >
                {t('definitions.trial.ask', { reference: testCase.reference })}
              </ButtonWithReason>
              <Text size="sm" span className="cs-clip">
                {documentTypeLabels(t, [testCase.documentType])} · {testCase.counterparty}
              </Text>
            </Group>
          </li>
        ))}
      </ul>
      {trial?.failure && (
        <Notice tone="warn">{failureMessage(t, i18n.language, trial.failure).message}</Notice>
      )}
      {trial?.result && trial.text === text && (
        <TrialResult one={trial.testCase} result={trial.result} />
      )}
    </section>
  );
}

function TrialResult({ one: testCase, result }: { one: Case; result: Result }) {
  const { t } = useTranslation();
  return (
    <div role="status" className={classes.trial}>
      <Text fw={600} mt="sm">
        <Link to="/cases/$id" params={{ id: testCase.reference }}>
          {testCase.reference}
        </Link>
        : {t('definitions.trial.points', { now: result.nowScore, after: result.thenScore })}
      </Text>
      {result.problem && <Notice tone="bad">{result.problem}</Notice>}
      <div className={classes.sideBySide}>
        <FindingsColumn
          title={t('definitions.trial.now')}
          findings={result.now}
          others={result.after}
        />
        <FindingsColumn
          title={t('definitions.trial.after')}
          findings={result.after}
          others={result.now}
        />
      </div>
    </div>
  );
}

interface FindingsColumnProps {
  title: string;
  findings: readonly TrialLineFragment[];
  others: readonly TrialLineFragment[];
}

/** One column of findings; those that differ from the other column are marked. */
function FindingsColumn({ title, findings, others }: FindingsColumnProps) {
  const { t, i18n } = useTranslation();
  return (
    <div>
      <Title order={3}>{title}</Title>
      {findings.length === 0 && <Text size="sm">{t('definitions.trial.nothing')}</Text>}
      <ul className={classes.resultList}>
        {findings.map((one) => (
          <li
            key={one.rule}
            data-differs={
              others.some((other) => other.rule === one.rule && other.score === one.score)
                ? undefined
                : 'yes'
            }
          >
            <SeverityBadge severity={one.severity} />{' '}
            <Text size="sm" span fw={600}>
              {localizedName(one.titles, i18n.language, '')}
              {one.score > 0 && ` +${one.score}`}
            </Text>
            <Text size="sm">
              {withValueTexts(
                localizedName(one.messages, i18n.language, ''),
                one.evidence,
                i18n.language,
              )}
            </Text>
            {evidenceText(t, i18n.language, one.evidence) !== '' && (
              <Text size="xs" c="dimmed" className="cs-lines2">
                {evidenceText(t, i18n.language, one.evidence)}
              </Text>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
