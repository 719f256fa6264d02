// What a proposal changes in a process, in the words of the forms.
import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../../ui/states';
import { WordedChanges } from '../WordedChanges';
import { processChanges } from './process-changes';

interface ProcessChangesProps {
  /** The text that is changed. */
  before: string;
  after: string;
}

export default function ProcessChanges({ before, after }: ProcessChangesProps) {
  const { t, i18n } = useTranslation();
  const changes = useMemo(
    () => processChanges({ t, language: i18n.language }, before, after),
    [before, after, t, i18n.language],
  );
  if (!changes) return <Notice tone="warn">{t('ruleDesign.unknownChanges')}</Notice>;
  if (changes.length === 0) return <Text size="sm">{t('design.words.none')}</Text>;
  return <WordedChanges label={t('design.words.title')} changes={changes} />;
}
