// The facts that a process needs and that have no value.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { factLabel } from '../lib/labels';

/** "Missing: country", in one short line; null if nothing is missing. */
export function MissingFacts({ facts }: { facts: readonly string[] | undefined }) {
  const { t } = useTranslation();
  if (!facts || facts.length === 0) return null;
  const names = facts.map((fact) => factLabel(t, fact)).join(t('caseLabels.next.comma'));
  return (
    <Text span size="xs" c="var(--cs-warn)" className="cs-lines2">
      {t('caseLabels.missing', { names })}
    </Text>
  );
}
