// Shows in which of the last cases this text would find something else than the published rules.
import { Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import type { CompareRulesQuery } from '../../../graphql/generated/graphql';
import { failureMessage } from '../../../lib/labels';
import { type Failure, failureOf } from '../../../lib/refusals';
import { ButtonWithReason } from '../../../ui/buttons';
import { Notice } from '../../../ui/states';
import classes from '../definitions.module.css';
import { CompareRules } from './compare.graphql';
import { readRules, ruleName } from './rules';

const sampleSize = 50;

type Result = CompareRulesQuery['compareRuleSet'];

interface RuleRehearsalProps {
  text: string;
  /** The published text, which names the rules that the text removes. */
  baseText: string;
  /** Why the text cannot be tested now; null if it can. */
  obstacle: string | null;
}

export function RuleRehearsal({ text, baseText, obstacle }: RuleRehearsalProps) {
  const { t, i18n } = useTranslation();
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [latest, setLatest] = useState<{
    text: string;
    result: Result | null;
    failure: Failure | null;
  } | null>(null);
  const compare = async () => {
    setBusy(true);
    const { data, error } = await client
      .query(CompareRules, { document: text, last: sampleSize }, { requestPolicy: 'network-only' })
      .toPromise();
    setBusy(false);
    setLatest({
      text,
      result: data?.compareRuleSet ?? null,
      failure: error ? failureOf(error) : null,
    });
  };
  const shown = latest?.text === text ? latest : null;
  const names = (ids: readonly string[]) => {
    const known = namesOf([baseText, text], i18n.language);
    return ids.map((id) => known.get(id) ?? id).join(t('caseLabels.next.comma'));
  };
  return (
    <section className="cs-card" aria-labelledby="rule-rehearsal">
      <Group justify="space-between" gap="sm">
        <Title order={2} id="rule-rehearsal">
          {t('ruleDesign.rehearsal.title')}
        </Title>
        <ButtonWithReason
          disabledReason={obstacle}
          variant="default"
          loading={busy}
          onClick={() => void compare()}
        >
          {t('ruleDesign.rehearsal.ask', { last: sampleSize })}
        </ButtonWithReason>
      </Group>
      <Text size="sm" c="dimmed">
        {t('ruleDesign.rehearsal.intro')}
      </Text>
      {shown?.failure && (
        <Notice tone="warn">{failureMessage(t, i18n.language, shown.failure).message}</Notice>
      )}
      {shown?.result && (
        <div role="status">
          <Text fw={600} mt="sm">
            {t('ruleDesign.rehearsal.result', {
              count: shown.result.cases,
              same: shown.result.same,
            })}
          </Text>
          <ul className={classes.resultList}>
            {shown.result.different.map((one) => (
              <li key={one.caseId}>
                <Link to="/cases/$id" params={{ id: one.caseId }}>
                  {one.reference}
                </Link>{' '}
                <Text size="sm" span>
                  {one.problem ??
                    [
                      one.found.length > 0 &&
                        t('ruleDesign.rehearsal.found', { names: names(one.found) }),
                      one.lost.length > 0 &&
                        t('ruleDesign.rehearsal.lost', { names: names(one.lost) }),
                      one.before !== one.after && t('ruleDesign.rehearsal.points', { ...one }),
                    ]
                      .filter(Boolean)
                      .join('; ')}
                </Text>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

/** The names of the rules by id. */
function namesOf(texts: readonly string[], language: string): Map<string, string> {
  return new Map(
    texts.flatMap((text) => {
      const read = readRules(text);
      return 'set' in read
        ? read.set.rules.map((rule) => [rule.id, ruleName(rule, language)] as const)
        : [];
    }),
  );
}
