// The migrations of a process with their results, and the button to undo one.
import { Button, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery, useSubscription } from 'urql';
import { useCommand } from '../../graphql/command';
import { UndoMigrationInput } from '../../graphql/generated/bounds';
import type { MigrationProgressSubscription } from '../../graphql/generated/graphql';
import { useResubscribe } from '../../graphql/use-resubscribe';
import { useSignedIn } from '../../lib/session';
import { ConfirmDialog } from '../../ui/buttons';
import { reasonText } from '../../ui/migration/MovePreview';
import { RefusalAlert } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import classes from './definitions.module.css';
import { MigratedCases, MigrationProgress, UndoMigration } from './migration.graphql';
import { movedBack } from './migrations';

type Migration = MigrationProgressSubscription['migrationProgress']['migrations'][number];

interface MigrationHistoryProps {
  process: string;
  onDone: (message: string) => void;
  /** Receives what identifies the present state of the migrations. */
  onProgress: (state: string) => void;
}

export function MigrationHistory({ process, onDone, onProgress }: MigrationHistoryProps) {
  const { t } = useTranslation();
  const signedIn = useSignedIn();
  const [{ data, error }, resubscribe] = useSubscription({
    query: MigrationProgress,
    variables: { process },
    pause: !signedIn,
  });
  useResubscribe(error, resubscribe);
  const newest = data && (data.migrationProgress.migrations[0]?.id ?? '');
  const known = useRef(newest);
  // The notice about a proposal ends when its migration has started.
  useEffect(() => {
    if (known.current !== undefined && newest !== known.current) onDone('');
    known.current = newest;
  }, [newest, onDone]);
  const migrations = data?.migrationProgress.migrations ?? [];
  const state = JSON.stringify(migrations.map(({ id, endedAt }) => [id, endedAt]));
  useEffect(() => onProgress(state), [state, onProgress]);
  if (migrations.length === 0) return null;
  return (
    <>
      <Title order={3} mt="md">
        {t('migration.history')}
      </Title>
      <ul className={classes.resultList}>
        {migrations.map((migration) => (
          <li key={migration.id}>
            <OneMigration
              migration={migration}
              back={movedBack(migrations, migration)}
              onDone={onDone}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

function OneMigration({
  migration,
  back,
  onDone,
}: {
  migration: Migration;
  /** The number of cases that an undo has moved back; null if there is no undo. */
  back: number | null;
  onDone: (message: string) => void;
}) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  const [shown, setShown] = useState(false);
  const command = useCommand(UndoMigration, (data) => data.undoMigration);
  const undo = async (reason: string) => {
    const payload = await command.run({ migrationId: migration.id, reason });
    if (!payload) return;
    setAsking(false);
    onDone(t('migration.undoProposed'));
  };
  const { fromVersion: from, toVersion: to, moved, notMoved, waiting } = migration;
  return (
    <>
      <Text size="sm" fw={600}>
        {migration.undoes
          ? t('migration.undoOf', { from, to })
          : t('migration.ofVersions', { from, to })}{' '}
        · {migration.endedAt ? t('migration.ended') : t('migration.running')}
      </Text>
      <Text size="sm" role="status">
        {t('migration.counts', { moved, notMoved, waiting })}
        {back !== null && ` · ${t('migration.movedBack', { back, moved })}`}
      </Text>
      <Text size="sm">{migration.reason}</Text>
      <Text size="xs" c="dimmed">
        {t('migration.people', {
          proposer: migration.proposedBy?.name ?? t('migration.someone'),
          confirmer: migration.confirmedBy?.name ?? t('migration.someone'),
        })}{' '}
        · <Timestamp iso={migration.startedAt} as="moment" />
      </Text>
      <Group gap="xs" mt={4}>
        {notMoved > 0 && !shown && (
          <Button variant="default" size="compact-sm" onClick={() => setShown(true)}>
            {t('migration.show')}
          </Button>
        )}
        {migration.endedAt && !migration.undoes && back === null && moved > 0 && (
          <Button variant="default" size="compact-sm" onClick={() => setAsking(true)}>
            {t('migration.undo')}
          </Button>
        )}
      </Group>
      {shown && <UnmovedCases id={migration.id} />}
      <ConfirmDialog
        opened={asking}
        title={t('migration.undoTitle')}
        confirmLabel={t('migration.undo')}
        busy={command.busy}
        reason={{
          label: t('migration.reason'),
          required: true,
          maxLength: UndoMigrationInput.reason,
        }}
        onConfirm={(reason) => void undo(reason)}
        onClose={() => setAsking(false)}
      >
        {t('migration.undoText')}
        <RefusalAlert refusals={command.refusals} error={command.error} />
      </ConfirmDialog>
    </>
  );
}

function UnmovedCases({ id }: { id: string }) {
  const { t } = useTranslation();
  const [after, setAfter] = useState<string | null>(null);
  const [{ data }] = useQuery({
    query: MigratedCases,
    variables: { id, status: 'NOT_MOVED', after },
    requestPolicy: 'cache-and-network',
  });
  const next = data?.migratedCases.next ?? null;
  return (
    <>
      <ul className={classes.resultList} aria-label={t('migration.show')}>
        {data?.migratedCases.nodes.map((one) => (
          <li key={one.caseId}>
            <Link to="/cases/$id" params={{ id: one.reference }}>
              {one.reference}
            </Link>{' '}
            <Text size="sm" span>
              {one.node !== '' && `${one.node}: `}
              {reasonText(t, one.reason)}
            </Text>
          </li>
        ))}
      </ul>
      {next && (
        <Button variant="default" size="compact-sm" onClick={() => setAfter(next)}>
          {t('migration.more')}
        </Button>
      )}
    </>
  );
}
