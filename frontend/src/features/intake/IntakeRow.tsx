// One file: the progress of its upload, then the status of its case.
import { ActionIcon, Button, Group, Progress, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSelector } from '@xstate/react';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient, useQuery } from 'urql';
import type { IntakeCaseFragment } from '../../graphql/generated/graphql';
import { type CaseEventLine, useCaseEvents } from '../../graphql/live';
import { documentStatusOf } from '../../lib/document-status';
import { shareText, sizeText } from '../../lib/format';
import { refusalMessage } from '../../lib/labels';
import { nextStepMessage } from '../../lib/next-step';
import type { Refusal } from '../../lib/refusals';
import { usePerson } from '../../lib/session';
import { Icon } from '../../ui/Icon';
import { Badge, StatusBadge } from '../../ui/StatusBadge';
import { StatusTimeline } from '../../ui/StatusTimeline';
import { Notice, RefusalAlert } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import type { UploadActor, UploadItem } from './batch';
import { IntakeCaseState } from './intake.graphql';
import classes from './intake.module.css';
import { refusedAttribute } from './refused-attributes';

/** A file of the current batch. */
export function UploadRow({
  item,
  onAgain,
}: {
  item: UploadItem;
  /** Sends the file with the present details; null while they are not complete. */
  onAgain: ((file: File) => void) | null;
}) {
  const caseId = useSelector(item.actor, (snapshot) => snapshot.context.caseId);
  const file = useSelector(item.actor, (snapshot) => snapshot.context.file);
  const duplicates = useSelector(item.actor, (snapshot) => snapshot.context.duplicates);
  return (
    <article className={`cs-card ${classes.row}`} aria-label={file.name}>
      {caseId === null ? (
        <UploadProgress actor={item.actor} file={file} onAgain={onAgain} />
      ) : (
        <ReceivedDocument caseId={caseId} fileName={file.name} duplicates={duplicates} />
      )}
    </article>
  );
}

function UploadProgress({
  actor,
  file,
  onAgain,
}: {
  actor: UploadActor;
  file: File;
  onAgain: ((file: File) => void) | null;
}) {
  const { t, i18n } = useTranslation();
  const snapshot = useSelector(actor, (now) => now);
  const { progress, refusals, failure } = snapshot.context;
  const state = snapshot.value;
  const sent = state === 'sending' && progress >= 1;
  const percent = Math.round(progress * 100);
  return (
    <>
      <Group justify="space-between" gap="sm" align="flex-start">
        <FileName name={file.name} detail={sizeText(file.size, i18n.language)} />
        <Group gap="xs" wrap="nowrap" ml="auto">
          <Text size="sm" c="dimmed" role="status">
            <span className="cs-visually-hidden">{file.name}: </span>
            {state === 'sending'
              ? sent
                ? t('intake.checking')
                : shareText(progress, i18n.language)
              : t(`intake.state.${state}`)}
          </Text>
          {(state === 'failed' || state === 'pausing') && (
            <ActionIcon
              variant="default"
              aria-label={t('intake.again', { name: file.name })}
              title={t('ui.retry')}
              onClick={() => actor.send({ type: 'retry' })}
            >
              <Icon name="retry" size={16} />
            </ActionIcon>
          )}
          {snapshot.can({ type: 'cancel' }) && (
            <ActionIcon
              variant="default"
              aria-label={t('intake.cancel', { name: file.name })}
              title={t('ui.cancel')}
              onClick={() => actor.send({ type: 'cancel' })}
            >
              <Icon name="cross" size={16} />
            </ActionIcon>
          )}
        </Group>
      </Group>
      {(state === 'sending' ||
        state === 'waiting' ||
        state === 'pausing' ||
        state === 'signedOut') && (
        <Progress
          value={percent}
          size="sm"
          animated={sent}
          aria-label={t('intake.progress', { name: file.name })}
          color={state === 'pausing' ? 'yellow.8' : undefined}
        />
      )}
      {state === 'refused' && <Refused {...{ refusals, file, onAgain }} />}
      {state === 'failed' && <RefusalAlert failure={failure} />}
    </>
  );
}

/** What the server refused about the file; what it refused about the attributes is at their fields. */
function Refused({
  refusals,
  file,
  onAgain,
}: {
  refusals: readonly Refusal[];
  file: File;
  onAgain: ((file: File) => void) | null;
}) {
  const { t } = useTranslation();
  const others = refusals.filter((one) => refusedAttribute(one) === null);
  return (
    <>
      {others.length < refusals.length && (
        <Notice tone="bad" icon="alert" live>
          <Text size="sm">{t('intake.attributes.refused')}</Text>
          {onAgain && (
            <Button
              size="compact-sm"
              variant="default"
              mt={6}
              aria-label={t('intake.attributes.sendAgainOf', { name: file.name })}
              onClick={() => onAgain(file)}
            >
              {t('intake.attributes.sendAgain')}
            </Button>
          )}
        </Notice>
      )}
      {others.length > 0 && <RefusalAlert refusals={others} />}
    </>
  );
}

/** A file name of any length: two lines at most, the full name in the title. */
function FileName({ name, detail }: { name: string; detail?: string }) {
  return (
    <div className={classes.name}>
      <Icon name="file" size={18} />
      <Text fw={560} size="sm" className="cs-lines2" title={name}>
        {name}
      </Text>
      {detail && (
        <Text size="xs" c="dimmed" className="cs-numbers">
          {detail}
        </Text>
      )}
    </div>
  );
}

/** A submitted document. `known` is its case if a list has loaded it; otherwise it is queried. */
export function ReceivedDocument({
  caseId,
  fileName,
  duplicates,
  loadedCase,
}: {
  caseId: string;
  fileName: string | null;
  duplicates?: string[];
  loadedCase?: IntakeCaseFragment;
}) {
  const { t } = useTranslation();
  const client = useClient();
  const [{ data }] = useQuery({
    query: IntakeCaseState,
    variables: { id: caseId },
    pause: loadedCase !== undefined,
  });
  const reread = useCallback(() => {
    void client
      .query(IntakeCaseState, { id: caseId }, { requestPolicy: 'network-only' })
      .toPromise();
  }, [client, caseId]);
  const events = useCaseEvents(caseId, null, reread);
  const caseData = loadedCase ?? data?.case;
  if (!caseData) {
    return (
      <Group justify="space-between" wrap="nowrap">
        <FileName name={fileName ?? ''} />
        <Badge tone="busy" icon="spin" spin>
          {t('caseLabels.status.received')}
        </Badge>
      </Group>
    );
  }
  return (
    <DocumentProgress
      caseData={caseData}
      events={events}
      fileName={fileName ?? caseData.document?.fileName ?? caseData.reference}
      duplicates={duplicates ?? []}
    />
  );
}

function DocumentProgress({
  caseData,
  events,
  fileName,
  duplicates,
}: {
  caseData: IntakeCaseFragment;
  events: CaseEventLine[];
  fileName: string;
  duplicates: string[];
}) {
  const { t, i18n } = useTranslation();
  const person = usePerson();
  const status = useMemo(
    () => documentStatusOf(events, caseData.status),
    [events, caseData.status],
  );
  const { next } = caseData;
  return (
    <>
      <div className={classes.progress}>
        <FileName name={fileName} />
        <StatusBadge status={caseData.status} />
        <StatusTimeline status={status} mine />
      </div>
      {caseData.incident ? (
        <Notice tone="warn" icon="alert" live>
          <Text size="sm">{refusalMessage(t, i18n.language, caseData.incident)}</Text>
          <Link to="/cases/$id" params={{ id: caseData.reference }}>
            {t('intake.recoveryActions')}
          </Link>
        </Notice>
      ) : null}
      {duplicates.length > 0 && (
        <Notice tone="calm" icon="files">
          <Text size="sm">{t('intake.duplicate', { references: duplicates.join(', ') })}</Text>
        </Notice>
      )}
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" role="status">
          <span className="cs-visually-hidden">{fileName}: </span>
          {status.repairing
            ? t('caseLabels.repairing')
            : caseData.incident
              ? ''
              : nextStepMessage(t, next, person !== null)}{' '}
          {next.by && (
            <>
              {next.late ? t('caseLabels.next.late') : t('caseLabels.next.by')}{' '}
              <Timestamp iso={next.by} />
            </>
          )}
        </Text>
        <Link to="/cases/$id" params={{ id: caseData.reference }} className={classes.open}>
          {t('intake.open', { reference: caseData.reference })}
        </Link>
      </Group>
    </>
  );
}
