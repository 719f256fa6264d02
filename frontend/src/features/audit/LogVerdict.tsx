// The result of verifying the checkpoints: what they prove, and what they do not cover yet.
import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { VerifyAuditQuery } from '../../graphql/generated/graphql';
import { Notice } from '../../ui/states';
import { Timestamp } from '../../ui/values';

type Log = NonNullable<VerifyAuditQuery['verifyAudit']['log']>;

export function LogVerdict({ log }: { log: Log }) {
  const { t, i18n } = useTranslation();
  const number = (value: string) => Number(value).toLocaleString(i18n.language);
  if (!log.verified) {
    return (
      <Notice tone="warn" icon="alert">
        {t('audit.log.unverified')}
      </Notice>
    );
  }
  const open = Number(log.openEvents) + Number(log.openAccesses) > 0;
  return (
    <Stack gap={4}>
      <Text size="sm">
        {t('audit.log.verified', {
          count: Number(log.checkpoints),
          value: number(log.checkpoints),
        })}{' '}
        {log.externalAt ? null : t('audit.log.notExternal')}
      </Text>
      {log.externalAt && (
        <Text size="sm">
          {t('audit.log.externalUntil')} <Timestamp iso={log.externalAt} as="moment" />
        </Text>
      )}
      {open && (
        <Text size="sm">
          {t('audit.log.open', {
            events: number(log.openEvents),
            accesses: number(log.openAccesses),
          })}
        </Text>
      )}
      {log.away.length > 0 && (
        <Notice tone="warn" icon="alert">
          {t('audit.log.away', { places: log.away.join(', ') })}
        </Notice>
      )}
    </Stack>
  );
}
