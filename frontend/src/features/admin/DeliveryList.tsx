// The deliveries of a connector that wait or need a person, with retrying and skipping one.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import { SkipDeliveryInput } from '../../graphql/generated/bounds';
import type { ConnectorLineFragment, DeliveryLineFragment } from '../../graphql/generated/graphql';
import { ConfirmDialog } from '../../ui/buttons';
import { ExportMenu } from '../../ui/ExportMenu';
import { ErrorState, RefusalAlert } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import classes from './admin.module.css';
import { Deliveries, RetryDelivery, SkipDelivery } from './connectors.graphql';

interface DeliveryListProps {
  connector: ConnectorLineFragment;
  administers: boolean;
  onChanged: (message: string) => void;
}

export function DeliveryList({ connector, administers, onChanged }: DeliveryListProps) {
  const { t } = useTranslation();
  const [skipping, setSkipping] = useState<DeliveryLineFragment | null>(null);
  const [{ data, error }, refetch] = useQuery({
    query: Deliveries,
    variables: { connectorId: connector.id, status: connector.dead > 0 ? 'DEAD' : 'WAITING' },
    requestPolicy: 'cache-and-network',
  });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  const changed = (message: string) => {
    setSkipping(null);
    reload();
    onChanged(message);
  };
  const label = connector.dead > 0 ? t('connectors.deadList') : t('connectors.waitingList');
  return (
    <>
      <Group justify="space-between" mt="sm">
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <ExportMenu kind="deliveries" filters={{ connector: connector.name }} />
      </Group>
      {error && !data && <ErrorState error={error} onRetry={reload} />}
      <ul className={classes.list} aria-label={label}>
        {data?.deliveries.nodes.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            onSkip={administers ? () => setSkipping(delivery) : null}
            onChanged={changed}
          />
        ))}
      </ul>
      {data?.deliveries.pageInfo.hasNextPage && (
        <Text size="sm" c="dimmed">
          {t('connectors.more')}
        </Text>
      )}
      {skipping && (
        <SkipDialog delivery={skipping} onDone={changed} onClose={() => setSkipping(null)} />
      )}
    </>
  );
}

interface RowProps {
  delivery: DeliveryLineFragment;
  onSkip: (() => void) | null;
  onChanged: (message: string) => void;
}

function DeliveryRow({ delivery, onSkip, onChanged }: RowProps) {
  const { t } = useTranslation();
  const retry = useCommand(RetryDelivery, (data) => data.retryDelivery);
  const send = async () => {
    if (await retry.run({ deliveryId: delivery.id })) onChanged(t('connectors.retried'));
  };
  return (
    <li className={classes.item}>
      <div className={classes.long}>
        <Text size="sm">
          {delivery.type} · {delivery.eventId}
        </Text>
        <Text size="sm" c="dimmed">
          {delivery.attempts === 0
            ? t('connectors.behind')
            : `${delivery.error} ${delivery.answer}`}
        </Text>
        <Text size="xs" c="dimmed">
          {t('connectors.attempts', { count: delivery.attempts })} ·{' '}
          <Timestamp iso={delivery.since} as="moment" />
        </Text>
        <RefusalAlert refusals={retry.refusals} error={retry.error} />
      </div>
      {onSkip && (
        <Group gap="xs">
          <Button
            variant="default"
            size="compact-sm"
            loading={retry.busy}
            onClick={() => void send()}
          >
            {t('connectors.retry')}
          </Button>
          <Button variant="default" size="compact-sm" onClick={onSkip}>
            {t('connectors.skip')}
          </Button>
        </Group>
      )}
    </li>
  );
}

interface SkipProps {
  delivery: DeliveryLineFragment;
  onDone: (message: string) => void;
  onClose: () => void;
}

function SkipDialog({ delivery, onDone, onClose }: SkipProps) {
  const { t } = useTranslation();
  const skip = useCommand(SkipDelivery, (data) => data.skipDelivery);
  const send = async (reason: string) => {
    if (await skip.run({ deliveryId: delivery.id, reason })) onDone(t('connectors.skipped'));
  };
  return (
    <ConfirmDialog
      opened
      danger
      title={t('connectors.skipTitle')}
      confirmLabel={t('connectors.skip')}
      busy={skip.busy}
      reason={{
        label: t('connectors.reason'),
        required: true,
        maxLength: SkipDeliveryInput.reason,
      }}
      onConfirm={(reason) => void send(reason)}
      onClose={onClose}
    >
      {t('connectors.skipText', { event: delivery.eventId })}
      <RefusalAlert refusals={skip.refusals} error={skip.error} />
    </ConfirmDialog>
  );
}
