// The quality sample: the caller's check of an archived document, and the figures.
import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import { hasRole, reviewerRoles, usePerson } from '../../lib/session';
import { ButtonWithReason } from '../../ui/buttons';
import { DoneNotice, ErrorState, LoadingState, PageHeader, RefusalAlert } from '../../ui/states';
import { QualityRecordsSection } from './QualityRecordsSection';
import { QualityTaskPanel } from './QualityTaskPanel';
import { QualityWork, TakeQualitySample } from './quality.graphql';

export function QualityPage() {
  const { t } = useTranslation();
  const person = usePerson();
  return (
    <>
      <PageHeader title={t('quality.title')}>{t('quality.intro')}</PageHeader>
      {hasRole(person, ...reviewerRoles) && <Work />}
      {hasRole(person, 'manager', 'auditor', 'administrator') && <QualityRecordsSection />}
    </>
  );
}

function Work() {
  const { t } = useTranslation();
  const [notice, setNotice] = useState<string | null>(null);
  const [{ data, error }, refetch] = useQuery({
    query: QualityWork,
    requestPolicy: 'cache-and-network',
  });
  const take = useCommand(TakeQualitySample, (answer) => answer.takeQualitySample);
  const reload = () => refetch({ requestPolicy: 'network-only' });
  const done = (message: string) => {
    setNotice(message);
    reload();
  };
  const send = async () => {
    setNotice(null);
    if (await take.run({})) reload();
  };
  if (error && !data) return <ErrorState error={error} onRetry={reload} />;
  if (!data) return <LoadingState lines={4} />;
  const { task, waiting } = data.qualityWork;
  return (
    <section aria-label={t('quality.work')}>
      <DoneNotice message={notice} mb={12} />
      {task ? (
        <QualityTaskPanel key={`${task.id} ${task.settles}`} task={task} onDone={done} />
      ) : (
        <Group gap="sm" mb="lg">
          <ButtonWithReason
            disabledReason={waiting === 0 ? t('quality.noneWaiting') : null}
            loading={take.busy}
            onClick={() => void send()}
          >
            {t('quality.take')}
          </ButtonWithReason>
          <Text size="sm" c="dimmed">
            {waiting !== null && waiting !== undefined && t('quality.waiting', { count: waiting })}
          </Text>
        </Group>
      )}
      <RefusalAlert refusals={take.refusals} error={take.error} />
    </section>
  );
}
