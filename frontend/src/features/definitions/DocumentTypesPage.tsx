// The list of document types, with their active version and open proposals.
import { Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { hasRole, usePerson } from '../../lib/session';
import { Badge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import classes from './definitions.module.css';
import { Published } from './Published';
import { localizedName } from './processes';
import { DocumentTypes } from './types.graphql';

export function DocumentTypesPage() {
  const { t, i18n } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: DocumentTypes,
    requestPolicy: 'cache-and-network',
  });
  const mayPropose = hasRole(usePerson(), 'administrator');
  const types = data?.documentTypes.nodes ?? [];
  const proposalCount = (key: string) =>
    (data?.proposals.nodes ?? []).filter((one) => one.key === key).length;
  const unpublishedKeys = [...new Set((data?.proposals.nodes ?? []).map(({ key }) => key))].filter(
    (key) => !types.some((one) => one.key === key),
  );
  return (
    <>
      <PageHeader
        title={t('titles.types')}
        actions={
          mayPropose && (
            <Link to="/types/$key/edit" params={{ key: 'new' }}>
              {t('definitions.types.new')}
            </Link>
          )
        }
      >
        {t('definitions.types.intro')}
      </PageHeader>
      {error && !data && (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
      )}
      {!error && !data && <LoadingState lines={8} />}
      {data && types.length === 0 && (
        <EmptyState icon="files" title={t('definitions.types.empty')}>
          {t('definitions.empty.text')} <code className="cs-mono">countersign migrate</code>
        </EmptyState>
      )}
      <ul className={classes.list}>
        {types.map((one) => (
          <li key={one.key} className="cs-card">
            <Group justify="space-between" align="flex-start" gap="sm">
              <div className={classes.names}>
                <Title order={2} className="cs-lines2">
                  <Link to="/types/$key" params={{ key: one.key }}>
                    {localizedName(one.titles, i18n.language, one.title)}
                  </Link>
                </Title>
                <Text size="xs" c="dimmed" component="div">
                  <span className="cs-mono">{one.key}</span> ·{' '}
                  {t('definitions.types.fields', { count: one.fields.length })}
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
        {unpublishedKeys.map((key) => (
          <li key={key} className="cs-card">
            <Title order={2}>
              <Link to="/types/$key" params={{ key }}>
                {key}
              </Link>
            </Title>
            <Badge tone="warn" icon="pen">
              {t('definitions.proposed', { count: proposalCount(key) })}
            </Badge>
          </li>
        ))}
      </ul>
    </>
  );
}
