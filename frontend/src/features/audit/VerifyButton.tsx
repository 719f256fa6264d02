// Verifies the hash chain of a case, or of all streams, and shows the result.
import { List, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CombinedError, useClient } from 'urql';
import type { VerifyAuditQuery } from '../../graphql/generated/graphql';
import { hasRole, usePerson } from '../../lib/session';
import { ButtonWithReason } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { Notice, RefusalAlert } from '../../ui/states';
import { VerifyAudit } from './audit.graphql';
import { LogVerdict } from './LogVerdict';

type Verdict = VerifyAuditQuery['verifyAudit'];

/** Without a `caseId`, every stream is verified. */
export function VerifyButton({ caseId }: { caseId?: string }) {
  const { t } = useTranslation();
  const client = useClient();
  const auditor = hasRole(usePerson(), 'auditor');
  const [verifying, setVerifying] = useState(false);
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [error, setError] = useState<CombinedError | null>(null);
  const verify = async () => {
    setVerifying(true);
    setVerdict(null);
    const request = client.query(
      VerifyAudit,
      { caseId: caseId ?? null },
      { requestPolicy: 'network-only' },
    );
    const result = await request.toPromise();
    setVerdict(result.data?.verifyAudit ?? null);
    setError(result.error ?? null);
    setVerifying(false);
  };
  return (
    <Stack gap="xs" mt="xs" align="flex-start">
      <ButtonWithReason
        size="sm"
        variant="default"
        leftSection={<Icon name="shield" />}
        loading={verifying}
        disabledReason={auditor ? null : t('audit.verify.notYou')}
        onClick={() => void verify()}
      >
        {caseId ? t('audit.verify.case') : t('audit.verify.all')}
      </ButtonWithReason>
      <RefusalAlert error={error} />
      {verdict && <VerdictNotice verdict={verdict} allStreams={caseId === undefined} />}
      {Number(verdict?.unrecordedDocuments ?? 0) > 0 && (
        <Notice tone="warn" icon="alert">
          {t('audit.verify.unrecorded', { count: Number(verdict?.unrecordedDocuments) })}
        </Notice>
      )}
      {verdict?.log && <LogVerdict log={verdict.log} />}
    </Stack>
  );
}

function VerdictNotice({ verdict, allStreams }: { verdict: Verdict; allStreams: boolean }) {
  const { t, i18n } = useTranslation();
  const events = Number(verdict.events).toLocaleString(i18n.language);
  const streams = Number(verdict.streams).toLocaleString(i18n.language);
  if (verdict.ok) {
    return (
      <Notice tone="good" icon="done" live>
        {allStreams
          ? t('audit.verify.allHold', { streams, events })
          : t('audit.verify.holds', { events })}
      </Notice>
    );
  }
  return (
    <Notice tone="bad" icon="alert" live>
      <Text size="sm" fw={600}>
        {t('audit.verify.broken', { count: verdict.problems.length })}
      </Text>
      <List size="sm">
        {verdict.problems.map(({ reference, seq, problem }) => (
          <List.Item key={`${reference} ${seq} ${problem}`}>
            {Number(seq) > 0
              ? t('audit.verify.problem', { reference, seq, problem })
              : t('audit.verify.problemOfLog', { reference, problem })}
          </List.Item>
        ))}
      </List>
    </Notice>
  );
}
