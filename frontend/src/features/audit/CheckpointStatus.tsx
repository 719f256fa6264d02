// How the audit log is protected by checkpoints: the newest one, and where it is kept outside.
import { Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { AuditLogQuery } from '../../graphql/generated/graphql';
import { Badge } from '../../ui/StatusBadge';
import { ErrorState, LoadingState, Notice } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import { AuditLog } from './audit.graphql';

export function CheckpointStatus() {
  const { t } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: AuditLog,
    requestPolicy: 'cache-and-network',
  });
  return (
    <section className="cs-card" aria-labelledby="checkpoints">
      <Title order={2} id="checkpoints">
        {t('audit.log.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('audit.log.hint')}
      </Text>
      {error && !data && (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
      )}
      {!error && !data && <LoadingState lines={2} />}
      {data && <Status log={data.auditLog} />}
    </section>
  );
}

type Log = AuditLogQuery['auditLog'];

const placeNames = {
  FOLDER: 'audit.log.place.folder',
  BUCKET: 'audit.log.place.bucket',
  WITNESS: 'audit.log.place.witness',
} as const;

function Status({ log }: { log: Log }) {
  const { t, i18n } = useTranslation();
  if (!log.signedAt) {
    return (
      <Notice tone="warn" icon="alert">
        {t('audit.log.none')}
      </Notice>
    );
  }
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Text size="sm" fw={600}>
          {t('audit.log.newest')}
        </Text>
        <Timestamp iso={log.signedAt} as="moment" />
        <Text size="sm" c="dimmed">
          {t('audit.log.leaves', {
            count: Number(log.size),
            value: Number(log.size).toLocaleString(i18n.language),
          })}
        </Text>
      </Group>
      {log.copies.map((copy) => (
        <Group key={copy.place} gap="sm">
          <Text size="sm" fw={600}>
            {t(placeNames[copy.place])}
          </Text>
          <Timestamp iso={copy.signedAt} as="moment" />
          <Badge
            tone={copy.size === log.size ? 'good' : 'warn'}
            icon={copy.size === log.size ? 'done' : 'alert'}
          >
            {copy.size === log.size ? t('audit.log.current') : t('audit.log.behind')}
          </Badge>
        </Group>
      ))}
      {log.copies.length === 0 && (
        <Notice tone="warn" icon="alert">
          {t('audit.log.inside')}
        </Notice>
      )}
    </Stack>
  );
}
