// The list of rule sets, with their active version and open proposals.
import { Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { documentTypeLabels } from '../../lib/labels';
import { Badge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import classes from './definitions.module.css';
import { Published } from './Published';
import { localizedName } from './processes';
import { RuleSets } from './rules.graphql';

export function RuleSetsPage() {
  const { t, i18n } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: RuleSets,
    requestPolicy: 'cache-and-network',
  });
  const sets = data?.ruleSets.nodes ?? [];
  const proposalCount = (key: string) =>
    (data?.proposals.nodes ?? []).filter((one) => one.key === key).length;
  return (
    <>
      <PageHeader title={t('titles.rules')}>{t('definitions.rules.intro')}</PageHeader>
      {error && !data && (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
      )}
      {!error && !data && <LoadingState lines={8} />}
      {data && sets.length === 0 && (
        <EmptyState icon="shield" title={t('definitions.rules.empty')}>
          {t('definitions.empty.text')} <code className="cs-mono">countersign migrate</code>
        </EmptyState>
      )}
      <ul className={classes.list}>
        {sets.map((one) => (
          <li key={one.key} className="cs-card">
            <Group justify="space-between" align="flex-start" gap="sm">
              <div className={classes.names}>
                <Title order={2} className="cs-lines2">
                  <Link to="/rules/$key" params={{ key: one.key }}>
                    {localizedName(one.titles, i18n.language, one.title)}
                  </Link>
                </Title>
                <Text size="xs" c="dimmed" component="div">
                  <span className="cs-mono">{one.key}</span> · {ruleSetScope(t, one.documentTypes)}
                </Text>
              </div>
              <div>
                <Text size="sm">{t('definitions.versionInForce', { version: one.version })}</Text>
                <Published version={one} />
                {proposalCount(one.key) > 0 && (
                  <Badge tone="warn" icon="pen">
                    {t('definitions.proposed', { count: proposalCount(one.key) })}
                  </Badge>
                )}
              </div>
            </Group>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The document types that a rule set applies to. */
export function ruleSetScope(
  t: Parameters<typeof documentTypeLabels>[0],
  types: readonly string[],
): string {
  const named = types.filter((type) => type !== '*');
  const parts =
    named.length > 0 ? [t('definitions.for', { types: documentTypeLabels(t, named) })] : [];
  if (named.length < types.length) parts.push(t('definitions.rules.forOthers'));
  return parts.join(t('caseLabels.next.comma'));
}
