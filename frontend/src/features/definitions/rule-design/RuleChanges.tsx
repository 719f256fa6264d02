// What a proposal changes in the rules of a set, in words.
import { Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../../ui/states';
import { WordedChanges } from '../WordedChanges';
import { changesOfRules, type RuleChange } from './changes';
import { partName, partWords, ruleWords } from './rule-words';
import { ruleName } from './rules';

interface RuleChangesProps {
  /** The text that is changed. */
  before: string;
  after: string;
}

export default function RuleChanges({ before, after }: RuleChangesProps) {
  const { t, i18n } = useTranslation();
  const changes = useMemo(() => changesOfRules(before, after), [before, after]);
  if (!changes) return <Notice tone="warn">{t('ruleDesign.unknownChanges')}</Notice>;
  if (changes.length === 0) return <Text size="sm">{t('ruleDesign.noChanges')}</Text>;
  const { language } = i18n;
  return (
    <WordedChanges
      label={t('ruleDesign.changes')}
      changes={changes.map((change) => ({
        headline: headline(t, language, change),
        details: detailsOf(t, language, change),
      }))}
    />
  );
}

function headline(t: TFunction<'translation'>, language: string, change: RuleChange): string {
  if (change.kind === 'header') return t('ruleDesign.change.header');
  return t(`ruleDesign.change.${change.kind}`, {
    name: ruleName(change.rule, language),
    id: change.id,
  });
}

function detailsOf(t: TFunction<'translation'>, language: string, change: RuleChange): string[] {
  if (!('parts' in change))
    return change.kind === 'moved' ? [] : ruleWords(t, language, change.rule);
  return change.parts.map(({ path, before, after }) =>
    t('ruleDesign.partChange', {
      part: partName(t, path),
      before: partWords(t, language, path, before),
      after: partWords(t, language, path, after),
    }),
  );
}
