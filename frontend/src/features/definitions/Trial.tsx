// What a rule set would say of a case, beside what is said of it now.
import { Group, Text, TextInput, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery } from 'urql';
import type { TrialLineFragment, TryRulesQuery } from '../../graphql/generated/graphql';
import { type Failure, failureOf } from '../../lib/refusals';
import { failureWords, fieldWords, typeWords } from '../../lib/words';
import { ReasonedButton } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { Notice } from '../../ui/states';
import classes from './definitions.module.css';
import { nameIn } from './processes';
import { SeverityBadge } from './RuleList';
import { CasesToTry, TryRules } from './rules.graphql';

type Result = TryRulesQuery['tryRuleSet'];
type Case = { id: string; reference: string };

export function Trial({ text, obstacle }: { text: string; obstacle: string | null }) {
  const { t, i18n } = useTranslation();
  const client = useClient();
  const [wanted, setWanted] = useState('');
  const [{ data }] = useQuery({ query: CasesToTry, variables: { text: wanted.trim() }, pause: wanted.trim() === '' });
  const [told, setTold] = useState<{ one: Case; text: string; result: Result | null; failure: Failure | null } | null>(
    null,
  );
  const ask = async (one: Case) => {
    const variables = { document: text, caseId: one.id };
    const answer = await client.query(TryRules, variables, { requestPolicy: 'network-only' }).toPromise();
    const failure = answer.error ? failureOf(answer.error) : null;
    setTold({ one, text, result: answer.data?.tryRuleSet ?? null, failure });
  };
  const cases = wanted.trim() === '' ? [] : (data?.cases.nodes ?? []);
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
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
      />
      <ul className={classes.rehearsed}>
        {cases.map((one) => (
          <li key={one.id}>
            <Group gap="xs">
              <ReasonedButton because={obstacle} variant="default" size="compact-sm" onClick={() => void ask(one)}>
                {t('definitions.trial.ask', { reference: one.reference })}
              </ReasonedButton>
              <Text size="sm" span className="cs-clip">
                {typeWords(t, [one.documentType])} · {one.counterparty}
              </Text>
            </Group>
          </li>
        ))}
      </ul>
      {told?.failure && <Notice tone="warn">{failureWords(t, i18n.language, told.failure).what}</Notice>}
      {told?.result && told.text === text && <Outcome one={told.one} result={told.result} />}
    </section>
  );
}

function Outcome({ one, result }: { one: Case; result: Result }) {
  const { t } = useTranslation();
  return (
    <div role="status" className={classes.trial}>
      <Text fw={600} mt="sm">
        <Link to="/cases/$id" params={{ id: one.id }}>
          {one.reference}
        </Link>
        : {t('definitions.trial.points', { now: result.nowScore, after: result.thenScore })}
      </Text>
      {result.problem && <Notice tone="bad">{result.problem}</Notice>}
      <div className={classes.beside}>
        <Side title={t('definitions.trial.now')} findings={result.now} others={result.after} />
        <Side title={t('definitions.trial.after')} findings={result.after} others={result.now} />
      </div>
    </div>
  );
}

interface SideProps {
  title: string;
  findings: readonly TrialLineFragment[];
  others: readonly TrialLineFragment[];
}

/** One side; what the other side does not say is marked. */
function Side({ title, findings, others }: SideProps) {
  const { t, i18n } = useTranslation();
  return (
    <div>
      <Title order={3}>{title}</Title>
      {findings.length === 0 && <Text size="sm">{t('definitions.trial.nothing')}</Text>}
      <ul className={classes.rehearsed}>
        {findings.map((one) => (
          <li
            key={one.rule}
            data-differs={
              others.some((other) => other.rule === one.rule && other.score === one.score) ? undefined : 'yes'
            }
          >
            <SeverityBadge severity={one.severity} />{' '}
            <Text size="sm" span fw={600}>
              {nameIn(one.titles, i18n.language, '')}
              {one.score > 0 && ` +${one.score}`}
            </Text>
            <Text size="sm">{nameIn(one.messages, i18n.language, '')}</Text>
            {one.evidence.some(({ name }) => name !== 'fields') && (
              <Text size="xs" c="dimmed" className="cs-lines2">
                {one.evidence
                  .filter(({ name }) => name !== 'fields')
                  .map(({ name, value }) => `${fieldWords(t, name)}: ${value}`)
                  .join(' · ')}
              </Text>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
