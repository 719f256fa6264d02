// The processes that cases go through, each with the version in force and what is proposed.
import { Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { hasRole, usePerson } from '../../lib/session';
import { documentTypeLabels } from '../../lib/words';
import { Badge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { Processes } from './definitions.graphql';
import classes from './definitions.module.css';
import { Published } from './Published';
import { nameIn, otherLanguage, type ProcessLine } from './processes';

export function DefinitionsPage() {
  const { t } = useTranslation();
  const [{ data, error }, again] = useQuery({
    query: Processes,
    requestPolicy: 'cache-and-network',
  });
  const processes = data?.processDefinitions.nodes ?? [];
  const proposals = data?.proposals.nodes ?? [];
  const mayPropose = hasRole(usePerson(), 'administrator');
  const fresh = [...new Set(proposals.map(({ key }) => key))].filter(
    (key) => !processes.some((one) => one.key === key),
  );
  return (
    <>
      <PageHeader
        title={t('definitions.title')}
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
        <ErrorState error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
      )}
      {!error && !data && <LoadingState lines={10} />}
      {data && processes.length === 0 && (
        <EmptyState icon="flow" title={t('definitions.empty.title')}>
          {t('definitions.empty.text')} <code className="cs-mono">countersign migrate</code>
        </EmptyState>
      )}
      <ul className={classes.list}>
        {processes.map((one) => (
          <Line
            key={one.key}
            one={one}
            proposed={proposals.filter(({ key }) => key === one.key).length}
          />
        ))}
        {fresh.map((key) => (
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

function Line({ one, proposed }: { one: ProcessLine; proposed: number }) {
  const { t, i18n } = useTranslation();
  return (
    <li className="cs-card">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className={classes.names}>
          <Title order={2} className="cs-lines2">
            <Link to="/definitions/$key" params={{ key: one.key }}>
              {nameIn(one.titles, i18n.language, one.title)}
            </Link>
          </Title>
          <Text size="sm" c="dimmed" className="cs-lines2" lang={otherLanguage(i18n.language)}>
            {nameIn(one.titles, otherLanguage(i18n.language), '')}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            <span className="cs-mono">{one.key}</span>
            {one.documentTypes.length > 0 &&
              ` · ${t('definitions.for', { types: documentTypeLabels(t, one.documentTypes) })}`}
          </Text>
        </div>
        <div>
          <Text size="sm">{t('definitions.versionInForce', { version: one.version })}</Text>
          <Published version={one} />
          {proposed > 0 && (
            <Badge tone="warn" icon="pen">
              {t('definitions.proposed', { count: proposed })}
            </Badge>
          )}
        </div>
      </Group>
    </li>
  );
}
