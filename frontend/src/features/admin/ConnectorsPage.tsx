// The receivers of events: how far each is, what failed last, and the deliveries that need a person.
import { Button, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation, useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import type { ConnectorLineFragment } from '../../graphql/generated/graphql';
import { sendThroughLoss } from '../../graphql/resend';
import { hasRole, usePerson } from '../../lib/session';
import { Badge } from '../../ui/StatusBadge';
import {
  DoneNotice,
  EmptyState,
  ErrorState,
  LoadingState,
  PageHeader,
  RefusalAlert,
} from '../../ui/states';
import { Timestamp } from '../../ui/values';
import classes from './admin.module.css';
import { Differences, NightlyComparison, useComparison } from './Comparison';
import { ConnectorForm } from './ConnectorForm';
import { Connectors, PauseConnector, ResumeConnector, TestConnector } from './connectors.graphql';
import { DeliveryList } from './DeliveryList';

export function ConnectorsPage() {
  const { t } = useTranslation();
  const administers = hasRole(usePerson(), 'administrator');
  const [notice, setNotice] = useState<string | null>(null);
  const [{ data, error }, refetch] = useQuery({
    query: Connectors,
    requestPolicy: 'cache-and-network',
  });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  const changed = (message: string) => {
    setNotice(message);
    reload();
  };
  return (
    <>
      <PageHeader
        title={t('titles.connectors')}
        actions={<Link to="/admin/controls">{t('admin.controls.all')}</Link>}
      >
        {t('connectors.intro')}
      </PageHeader>
      <DoneNotice message={notice} mb={12} />
      {error && !data && <ErrorState error={error} onRetry={reload} />}
      {!error && !data && <LoadingState lines={6} />}
      {data && data.connectors.length === 0 && (
        <EmptyState icon="link" title={t('connectors.empty')}>
          {t('connectors.emptyText')}
        </EmptyState>
      )}
      {data?.connectors.map((connector) => (
        <ConnectorCard
          key={connector.id}
          connector={connector}
          administers={administers}
          onChanged={changed}
        />
      ))}
      {administers && data && (
        <section aria-labelledby="new-connector">
          <Title order={2} id="new-connector" mt="lg" mb="xs">
            {t('connectors.new')}
          </Title>
          <ConnectorForm onChanged={changed} />
        </section>
      )}
    </>
  );
}

interface CardProps {
  connector: ConnectorLineFragment;
  administers: boolean;
  onChanged: (message: string) => void;
}

const tones = { ACTIVE: 'good', PAUSED: 'warn', DISABLED: 'bad' } as const;

function ConnectorCard({ connector, administers, onChanged }: CardProps) {
  const { t } = useTranslation();
  return (
    <section className={`cs-card ${classes.connector}`} aria-label={connector.name}>
      <Group gap="sm">
        <Text fw={600}>{connector.name}</Text>
        <Badge
          tone={tones[connector.status]}
          icon={connector.status === 'ACTIVE' ? 'done' : 'alert'}
        >
          {t(`connectors.status.${connector.status}`)}
        </Badge>
        <Text size="sm" c="dimmed">
          {t(`connectors.audience.${connector.audience}`)} ·{' '}
          {connector.snapshot ? t('connectors.bodies') : t('connectors.idsOnly')}
        </Text>
      </Group>
      <Text size="sm" className={classes.long}>
        {t(`connectors.kind.${connector.kind}`)} · {connector.url}
        {connector.mail && ` · ${connector.mail.to.join(', ')}`}
      </Text>
      <Text size="sm">
        {t('connectors.lag', { count: Math.round(connector.lagSeconds) })} ·{' '}
        {t('connectors.delivered', { number: connector.delivered })} ·{' '}
        {t('connectors.waiting', { number: connector.waiting })} ·{' '}
        {t('connectors.dead', { number: connector.dead })}
      </Text>
      {connector.statusReason !== '' && <Text size="sm">{connector.statusReason}</Text>}
      {connector.lastError !== '' && (
        <Text size="sm" c="dimmed" className={classes.long}>
          {t('connectors.lastError', { error: connector.lastError })}
          {connector.lastErrorAt && (
            <>
              {' '}
              · <Timestamp iso={connector.lastErrorAt} as="moment" />
            </>
          )}
        </Text>
      )}
      <NightlyComparison connector={connector} administers={administers} onChanged={onChanged} />
      {administers && <ConnectorButtons connector={connector} onChanged={onChanged} />}
      {connector.waiting + connector.dead > 0 && (
        <DeliveryList connector={connector} administers={administers} onChanged={onChanged} />
      )}
    </section>
  );
}

function ConnectorButtons({ connector, onChanged }: Omit<CardProps, 'administers'>) {
  const { t } = useTranslation();
  const pause = useCommand(PauseConnector, (data) => data.pauseConnector);
  const resume = useCommand(ResumeConnector, (data) => data.resumeConnector);
  const [{ data, error, fetching }, test] = useMutation(TestConnector);
  const comparison = useComparison(connector.id);
  const { name, id: connectorId } = connector;
  const operate = async (command: typeof pause | typeof resume, message: string) => {
    if (await command.run({ connectorId })) onChanged(message);
  };
  const result = data?.testConnector.test;
  return (
    <>
      <Group gap="xs" mt="xs">
        <Button
          variant="default"
          size="compact-sm"
          loading={fetching}
          onClick={() => void sendThroughLoss(() => test({ input: { connectorId } }))}
        >
          {t('connectors.test')}
        </Button>
        {connector.kind !== 'SMTP' && (
          <Button
            variant="default"
            size="compact-sm"
            loading={comparison.busy}
            onClick={() => void comparison.run()}
          >
            {t('connectors.compare.now')}
          </Button>
        )}
        {connector.status === 'ACTIVE' ? (
          <Button
            variant="default"
            size="compact-sm"
            loading={pause.busy}
            onClick={() => void operate(pause, t('connectors.pausedNow', { name }))}
          >
            {t('connectors.pause')}
          </Button>
        ) : (
          <Button
            variant="default"
            size="compact-sm"
            loading={resume.busy}
            onClick={() => void operate(resume, t('connectors.resumedNow', { name }))}
          >
            {t('connectors.resume')}
          </Button>
        )}
      </Group>
      {result && (
        <Text size="sm" role="status" className={classes.long}>
          {result.httpStatus
            ? t('connectors.tested', {
                status: result.httpStatus,
                time: Math.round(result.milliseconds),
              })
            : result.error}{' '}
          {result.answer}
        </Text>
      )}
      {comparison.found && (
        <Differences
          connector={connector}
          found={comparison.found}
          administers
          onChanged={onChanged}
        />
      )}
      <RefusalAlert refusals={comparison.refusals} error={comparison.error} />
      <RefusalAlert refusals={data?.testConnector.userErrors ?? null} error={error} />
      <RefusalAlert refusals={pause.refusals} error={pause.error} />
      <RefusalAlert refusals={resume.refusals} error={resume.error} />
    </>
  );
}
