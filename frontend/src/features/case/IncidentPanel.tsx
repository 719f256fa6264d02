// The incident of a case: the failed step and its recovery actions.
import { Button, Group, Text, Title } from '@mantine/core';
import { useMachine } from '@xstate/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import type { CaseFullQuery } from '../../graphql/generated/graphql';
import { useResend } from '../../graphql/resend';
import { isFileFault } from '../../lib/file-faults';
import { newKey } from '../../lib/keys';
import { nodeLabel, refusalMessage, statusLabel } from '../../lib/labels';
import type { RepairState } from '../../lib/repair-state';
import { failedDocument } from '../../lib/supporting';
import { ButtonWithReason } from '../../ui/buttons';
import { Icon, type IconName } from '../../ui/Icon';
import { Notice, RefusalAlert } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import classes from './case.module.css';
import {
  abandonCase,
  addDocument,
  type CaseCommand,
  enterValues,
  isLost,
  type Outcome,
  replaceFile,
  retryStep,
} from './commands';
import { EnterFieldsForm } from './EnterFieldsForm';
import { AbandonForm, ReplaceForm } from './forms';
import { type RecoveryAction, type RepairEvent, repairMachine } from './repair-machine';

export type CaseData = NonNullable<CaseFullQuery['case']>;

const actionIcons: [RecoveryAction, IconName][] = [
  ['RETRY', 'retry'],
  ['REPLACE_DOCUMENT', 'upload'],
  ['ENTER_FIELDS', 'pen'],
  ['ABANDON', 'cross'],
];

function disabledReasonOf(caseData: CaseData, action: RecoveryAction): string | null {
  if (caseData.incident?.actions.includes(action)) return null;
  const { allowed, sentence } = {
    RETRY: caseData.mayRetry,
    REPLACE_DOCUMENT: caseData.mayReplace,
    ENTER_FIELDS: caseData.mayEnter,
    ABANDON: caseData.mayAbandon,
  }[action];
  return allowed ? null : sentence;
}

/** Stays visible after the first incident of a visit; `onChanged` reloads the case. */
export function IncidentPanel({
  caseData,
  repairState,
  onChanged,
}: {
  caseData: CaseData;
  repairState: RepairState;
  onChanged: () => void;
}) {
  const { t } = useTranslation();
  const client = useClient();
  const version = caseData.incident?.version ?? null;
  const [snapshot, send] = useMachine(repairMachine, { input: { version } });
  // One idempotency key per command: a resend keeps it, another choice gets a new one.
  const key = useRef(newKey());
  const resend = useResend();
  const { value: state, context } = snapshot;
  // Sent in every state, because the case may have changed while a command was being sent.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new state has to receive the facts too
  useEffect(
    () => send({ type: 'facts', repairState, version }),
    [send, repairState, version, state],
  );

  const run = (
    begin: RepairEvent,
    execute: (target: CaseCommand) => Promise<Outcome>,
  ): Promise<void> => resend(() => attempt(begin, execute));
  const attempt = async (
    begin: RepairEvent,
    execute: (target: CaseCommand) => Promise<Outcome>,
  ): Promise<boolean> => {
    send(begin);
    const target = {
      caseId: caseData.id,
      expectedVersion: caseData.version,
      expectedStatus: 'INCIDENT' as const,
      idempotencyKey: key.current,
    };
    // A command interrupted by leaving the page can be resent with the same key.
    const outcome = await execute(target).catch(
      (): Outcome => ({ failure: { code: 'Network', message: '' } }),
    );
    if (outcome === null) send({ type: 'accepted' });
    else if ('refusals' in outcome) send({ type: 'refused', ...outcome });
    else send({ type: 'failed', ...outcome });
    if (outcome === null || 'refusals' in outcome) key.current = newKey();
    onChanged();
    return isLost(outcome);
  };
  const chooseAction = (action: RecoveryAction) => {
    if (action !== 'RETRY') send({ type: 'choose', action });
    else
      void run({ type: 'choose', action }, (target) =>
        retryStep(client, { ...target, expectedVersion: version ?? target.expectedVersion }),
      );
  };
  const shared = { busy: state === 'sending', onBack: () => send({ type: 'back' }) };
  const suggested: RecoveryAction = isFileFault(caseData.incident?.code ?? '')
    ? 'REPLACE_DOCUMENT'
    : 'RETRY';
  // For a damaged file, another attempt is the last thing to try.
  const ways =
    suggested === 'RETRY' ? actionIcons : [...actionIcons.slice(1), ...actionIcons.slice(0, 1)];
  const failed = failedDocument(caseData.supportingDocuments, caseData.incident?.message ?? '');
  const conflict = state === 'conflict';
  // What was typed stays until the user has seen what another person did.
  const form = state === 'filling' || state === 'sending' || conflict ? context.action : null;
  const displayState =
    state === 'repaired' && caseData.status === 'ABANDONED' ? 'abandoned' : state;
  return (
    <section
      className={`cs-card ${classes.incident}`}
      data-state={displayState}
      aria-labelledby="incident"
    >
      <IncidentHead caseData={caseData} state={state} failedAgain={context.failedAgain} />
      <RefusalAlert refusals={context.refusals} failure={context.failure} />
      {(state === 'choosing' || (state === 'sending' && context.action === 'RETRY')) && (
        <Group gap="xs">
          {ways.map(([action, icon]) => (
            <ButtonWithReason
              key={action}
              variant={action === suggested ? 'filled' : 'default'}
              leftSection={<Icon name={icon} />}
              disabledReason={disabledReasonOf(caseData, action)}
              loading={state === 'sending' && action === 'RETRY'}
              onClick={() => chooseAction(action)}
            >
              {t(`case.ways.${action}`)}
            </ButtonWithReason>
          ))}
        </Group>
      )}
      {state === 'conflict' && (
        <Button onClick={() => send({ type: 'showCurrent' })}>{t('case.incident.look')}</Button>
      )}
      {form === 'REPLACE_DOCUMENT' && failed && !conflict && (
        <Text size="sm">{t('supporting.inPlace', { name: failed.fileName })}</Text>
      )}
      {form === 'REPLACE_DOCUMENT' && !conflict && (
        <ReplaceForm
          {...shared}
          onSend={(file, progress, signal) =>
            void run({ type: 'submit' }, (target) =>
              failed
                ? addDocument(
                    client,
                    target,
                    { kind: failed.kind, file, replaces: failed.number },
                    signal,
                  )
                : replaceFile(client, target, file, progress, signal),
            )
          }
        />
      )}
      {form === 'ENTER_FIELDS' && (
        <EnterFieldsForm
          {...shared}
          form={caseData.fieldForm}
          closed={conflict}
          refusals={context.refusals}
          onSend={(fields) =>
            void run({ type: 'submit' }, (target) => enterValues(client, target, fields))
          }
        />
      )}
      {form === 'ABANDON' && (
        <AbandonForm
          {...shared}
          closed={conflict}
          onSend={(reason) =>
            void run({ type: 'submit' }, (target) => abandonCase(client, target, reason))
          }
        />
      )}
    </section>
  );
}

type State = 'choosing' | 'filling' | 'sending' | 'watching' | 'conflict' | 'repaired';

function IncidentHead({
  caseData,
  state,
  failedAgain,
}: {
  caseData: CaseData;
  state: State;
  failedAgain: boolean;
}) {
  const { t, i18n } = useTranslation();
  const { incident } = caseData;
  if (state === 'watching') {
    return (
      <div role="status">
        <Title order={2} id="incident">
          <Icon name="spin" spin /> {t('case.incident.watching')}
        </Title>
        <Text size="sm">{t('case.incident.watchingText')}</Text>
      </div>
    );
  }
  if (state === 'repaired') {
    return (
      <div role="status">
        <Title order={2} id="incident">
          <Icon name={caseData.status === 'ABANDONED' ? 'refused' : 'done'} />{' '}
          {caseData.status === 'ABANDONED'
            ? t('case.incident.abandoned')
            : t('case.incident.repaired')}
        </Title>
      </div>
    );
  }
  return (
    <div>
      <Title order={2} id="incident">
        <Icon name="alert" /> {failedAgain && `${t('case.incident.again')} `}
        {incident ? refusalMessage(t, i18n.language, incident) : t('case.incident.title')}
      </Title>
      {incident && (
        <Text size="sm" c="dimmed">
          {t('case.incident.step', {
            node: nodeLabel(t, incident.node),
            attempt: incident.attempt,
          })}
          {incident.openedAt && (
            <>
              {' · '}
              <Timestamp iso={incident.openedAt} />
            </>
          )}
        </Text>
      )}
      {state === 'conflict' && (
        <Notice tone="warn" icon="person" live>
          {t('case.incident.overtaken', { status: statusLabel(t, caseData.status, false) })}
        </Notice>
      )}
    </div>
  );
}
