// The quality sample: the caller's check of an archived document, and the figures.
import { Box, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import { hasRole, reviewerRoles, usePerson } from '../../lib/session';
import { useRefused } from '../../lib/use-stale';
import { ButtonWithReason } from '../../ui/buttons';
import { ErrorState, LoadingState, Notice, PageHeader, RefusalAlert } from '../../ui/states';
import { QualityRecordsSection } from './QualityRecordsSection';
import { QualityTaskPanel } from './QualityTaskPanel';
import { QualityWork, TakeQualitySample } from './quality.graphql';

export function QualityPage() {
  const { t } = useTranslation();
  const person = usePerson();
  const [changes, setChanges] = useState(0);
  return (
    <>
      <PageHeader title={t('titles.quality')}>{t('quality.intro')}</PageHeader>
      {hasRole(person, ...reviewerRoles) && (
        <Work onChanged={() => setChanges((before) => before + 1)} />
      )}
      {hasRole(person, 'manager', 'auditor', 'administrator') && (
        <QualityRecordsSection key={changes} />
      )}
    </>
  );
}

interface Done {
  message: string;
  /** The correction case that the caller submitted. */
  correctionId: string | null;
}

function Work({ onChanged }: { onChanged: () => void }) {
  const { t } = useTranslation();
  const [done, setDone] = useState<Done | null>(null);
  const [taken, setTaken] = useState(false);
  const actions = useRef<HTMLDivElement>(null);
  const [{ data, error }, refetch] = useQuery({
    query: QualityWork,
    requestPolicy: 'cache-and-network',
  });
  const take = useCommand(TakeQualitySample, (answer) => answer.takeQualitySample);
  const reload = () => refetch({ requestPolicy: 'network-only' });
  // Another person was faster: the number of waiting samples is read again.
  useRefused(take.refusals, reload);
  const hasTask = Boolean(data?.qualityWork.task);
  // After a check the button to take the next sample has the focus.
  useEffect(() => {
    if (done && !hasTask) actions.current?.querySelector('button')?.focus();
  }, [done, hasTask]);
  const changed = () => {
    reload();
    onChanged();
  };
  const send = async () => {
    setDone(null);
    if (!(await take.run({}))) return;
    setTaken(true);
    changed();
  };
  if (error && !data) return <ErrorState error={error} onRetry={reload} />;
  if (!data) return <LoadingState lines={4} />;
  const { task, waiting } = data.qualityWork;
  return (
    <section aria-label={t('quality.work')}>
      {done && (
        <Box mb={12}>
          <Notice tone="good" icon="done" live>
            {done.message}{' '}
            {done.correctionId && (
              <Link to="/cases/$id" params={{ id: done.correctionId }}>
                {t('quality.openCorrection')}
              </Link>
            )}
          </Notice>
        </Box>
      )}
      {task ? (
        <QualityTaskPanel
          key={`${task.id} ${task.settles}`}
          task={task}
          focused={taken}
          onDone={(message, correctionId = null) => {
            setDone({ message, correctionId });
            changed();
          }}
        />
      ) : (
        <Group gap="sm" mb="lg" ref={actions}>
          <ButtonWithReason
            disabledReason={waiting === 0 ? t('quality.noneWaiting') : null}
            loading={take.busy}
            onClick={() => void send()}
          >
            {t('quality.take')}
          </ButtonWithReason>
          <Text size="sm" c="dimmed">
            {waiting === 0 && t('quality.noneWaiting')}
            {waiting !== null &&
              waiting !== undefined &&
              waiting > 0 &&
              t('quality.waiting', { count: waiting })}
          </Text>
        </Group>
      )}
      <RefusalAlert refusals={take.refusals} error={take.error} />
    </section>
  );
}
