// The list of processes, with their active version and open proposals.
import { Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { documentTypeLabels } from '../../lib/labels';
import { hasRole, usePerson } from '../../lib/session';
import { Badge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { Processes } from './definitions.graphql';
import classes from './definitions.module.css';
import { Published } from './Published';
import { localizedName, otherLanguage, type ProcessLine } from './processes';

export function DefinitionsPage() {
  const { t } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: Processes,
    requestPolicy: 'cache-and-network',
  });
  const processes = data?.processDefinitions.nodes ?? [];
  const proposals = data?.proposals.nodes ?? [];
  const mayPropose = hasRole(usePerson(), 'administrator');
  const unpublishedKeys = [...new Set(proposals.map(({ key }) => key))].filter(
    (key) => !processes.some((one) => one.key === key),
  );
  return (
    <>
      <PageHeader
        title={t('titles.processes')}
        actions={
          mayPropose && (
            <Link to="/definitions/$key/edit" params={{ key: 'new' }}>
              {t('definitions.new')}
            </Link>
          )
        }
      >
        {t('definitions.intro')}
      </PageHeader>
      {error && !data && (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
      )}
      {!error && !data && <LoadingState lines={10} />}
      {data && processes.length === 0 && (
        <EmptyState icon="flow" title={t('definitions.empty.title')}>
          {t('definitions.empty.text')} <code className="cs-mono">countersign migrate</code>
        </EmptyState>
      )}
      <ul className={classes.list}>
        {processes.map((one) => (
          <ProcessItem
            key={one.key}
            one={one}
            proposed={proposals.filter(({ key }) => key === one.key).length}
          />
        ))}
        {unpublishedKeys.map((key) => (
          <li key={key} className="cs-card">
            <Title order={2}>
              <Link to="/definitions/$key" params={{ key }}>
                {key}
              </Link>
            </Title>
            <Text size="sm">{t('definitions.notYet')}</Text>
          </li>
        ))}
      </ul>
    </>
  );
}

function ProcessItem({
  one: process,
  proposed: proposalCount,
}: {
  one: ProcessLine;
  proposed: number;
}) {
  const { t, i18n } = useTranslation();
  return (
    <li className="cs-card">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className={classes.names}>
          <Title order={2} className="cs-lines2">
            <Link to="/definitions/$key" params={{ key: process.key }}>
              {localizedName(process.titles, i18n.language, process.title)}
            </Link>
          </Title>
          <Text size="sm" c="dimmed" className="cs-lines2" lang={otherLanguage(i18n.language)}>
            {localizedName(process.titles, otherLanguage(i18n.language), '')}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            <span className="cs-mono">{process.key}</span>
            {process.documentTypes.length > 0 &&
              ` · ${t('definitions.for', { types: documentTypeLabels(t, process.documentTypes) })}`}
          </Text>
        </div>
        <div>
          <Text size="sm">{t('definitions.versionInForce', { version: process.version })}</Text>
          <Published version={process} />
          {proposalCount > 0 && (
            <Badge tone="warn" icon="pen">
              {t('definitions.proposed', { count: proposalCount })}
            </Badge>
          )}
        </div>
      </Group>
    </li>
  );
}
