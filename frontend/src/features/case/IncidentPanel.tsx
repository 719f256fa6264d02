// A step failed for good: what failed, and every way out of it, each walked to its end.
import { Button, Group, Text, Title } from '@mantine/core';
import { useMachine } from '@xstate/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import type { CaseFullQuery } from '../../graphql/generated/graphql';
import { newKey } from '../../lib/keys';
import type { RepairState } from '../../lib/repair-state';
import { nodeLabel, refusalMessage } from '../../lib/words';
import { ButtonWithReason } from '../../ui/buttons';
import { Icon, type IconName } from '../../ui/Icon';
import { Notice, RefusalAlert } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import classes from './case.module.css';
import { enterValues, giveUp, type Once, type Outcome, replaceFile, retryStep } from './commands';
import { EnterForm } from './EnterForm';
import { GiveUpForm, ReplaceForm } from './forms';
import { repairMachine, type Way } from './repair-machine';

export type WholeCase = NonNullable<CaseFullQuery['case']>;

const ways: [Way, IconName][] = [
  ['RETRY', 'retry'],
  ['REPLACE_DOCUMENT', 'upload'],
  ['ENTER_FIELDS', 'pen'],
  ['ABANDON', 'cross'],
];

/** What lies in the file itself: doing the same again will hardly help. */
const inTheFile = new Set([
  'DamagedFile',
  'EncryptedFile',
  'EmptyFile',
  'UnsupportedFile',
  'FileTooComplex',
  'FileTooLarge',
]);

function whyNot(one: WholeCase, way: Way): string | null {
  if (one.incident?.actions.includes(way)) return null;
  const { allowed, sentence } = {
    RETRY: one.mayRetry,
    REPLACE_DOCUMENT: one.mayReplace,
    ENTER_FIELDS: one.mayEnter,
    ABANDON: one.mayAbandon,
  }[way];
  return allowed ? null : sentence;
}

/** Shown from the first incident of a visit on; `onChanged` reads the case again. */
export function IncidentPanel({
  one,
  repair,
  onChanged,
}: {
  one: WholeCase;
  repair: RepairState;
  onChanged: () => void;
}) {
  const { t } = useTranslation();
  const client = useClient();
  const version = one.incident?.version ?? null;
  const [snapshot, send] = useMachine(repairMachine, { input: { version } });
  // One key for one intention: the same when it is sent again, another after another choice.
  const key = useRef(newKey());
  const { value: state, context } = snapshot;
  // Told again in each state: what was heard while a command was under way counts as well.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is what makes it worth telling again
  useEffect(() => send({ type: 'facts', repair, version }), [send, repair, version, state]);

  const run = async (act: (once: Once) => Promise<Outcome>) => {
    send({ type: 'submit' });
    const once = { caseId: one.id, expectedVersion: one.version, idempotencyKey: key.current };
    // What is cut off by leaving the page was not refused; it can be sent again with the same key.
    const outcome = await act(once).catch(
      (): Outcome => ({ failure: { code: 'Network', message: '' } }),
    );
    if (outcome === null) send({ type: 'accepted' });
    else if ('refusals' in outcome) send({ type: 'refused', ...outcome });
    else send({ type: 'failed', ...outcome });
    if (outcome === null || 'refusals' in outcome) key.current = newKey();
    onChanged();
  };
  const choose = (way: Way) => {
    send({ type: 'choose', way });
    if (way === 'RETRY')
      void run((once) =>
        retryStep(client, { ...once, expectedVersion: version ?? once.expectedVersion }),
      );
  };
  const shared = { busy: state === 'sending', onBack: () => send({ type: 'back' }) };
  const likeliest: Way = inTheFile.has(one.incident?.code ?? '') ? 'REPLACE_DOCUMENT' : 'RETRY';
  const form =
    context.way !== null && (state === 'filling' || state === 'sending') ? context.way : null;
  const over = state === 'repaired' && one.status === 'ABANDONED' ? 'givenUp' : state;
  return (
    <section className={`cs-card ${classes.incident}`} data-state={over} aria-labelledby="incident">
      <IncidentHead one={one} state={state} failedAgain={context.failedAgain} />
      <Refused refusals={context.refusals} failure={context.failure} />
      {(state === 'choosing' || (state === 'sending' && context.way === 'RETRY')) && (
        <Group gap="xs">
          {ways.map(([way, icon]) => (
            <ButtonWithReason
              key={way}
              variant={way === likeliest ? 'filled' : 'default'}
              leftSection={<Icon name={icon} />}
              disabledReason={whyNot(one, way)}
              loading={state === 'sending' && way === 'RETRY'}
              onClick={() => choose(way)}
            >
              {t(`case.ways.${way}`)}
            </ButtonWithReason>
          ))}
        </Group>
      )}
      {state === 'overtaken' && (
        <Button onClick={() => send({ type: 'look' })}>{t('case.incident.look')}</Button>
      )}
      {form === 'REPLACE_DOCUMENT' && (
        <ReplaceForm
          {...shared}
          onSend={(file, progress, signal) =>
            void run((once) => replaceFile(client, once, file, progress, signal))
          }
        />
      )}
      {form === 'ENTER_FIELDS' && (
        <EnterForm
          {...shared}
          form={one.fieldForm}
          refusals={context.refusals}
          onSend={(fields) => void run((once) => enterValues(client, once, fields))}
        />
      )}
      {form === 'ABANDON' && (
        <GiveUpForm
          {...shared}
          onSend={(reason) => void run((once) => giveUp(client, once, reason))}
        />
      )}
    </section>
  );
}

type State = 'choosing' | 'filling' | 'sending' | 'watching' | 'overtaken' | 'repaired';

function IncidentHead({
  one,
  state,
  failedAgain,
}: {
  one: WholeCase;
  state: State;
  failedAgain: boolean;
}) {
  const { t, i18n } = useTranslation();
  const { incident } = one;
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
          <Icon name={one.status === 'ABANDONED' ? 'refused' : 'done'} />{' '}
          {one.status === 'ABANDONED' ? t('case.incident.givenUp') : t('case.incident.repaired')}
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
      {state === 'overtaken' && (
        <Notice tone="warn" icon="person" live>
          {t('case.incident.overtaken')}
        </Notice>
      )}
    </div>
  );
}

type RefusedProps = {
  refusals: Parameters<typeof RefusalAlert>[0]['refusals'];
  failure: {
    code: string;
    message: string;
    wayOut?: string | undefined;
    requestId?: string | undefined;
  } | null;
};

/** Refusals, or the failure, of the last command. */
export function Refused({ refusals, failure }: RefusedProps) {
  if (failure) {
    const errors =
      failure.code === 'Network' ? [] : [{ message: failure.message, extensions: { ...failure } }];
    return <RefusalAlert refusals={[]} error={{ graphQLErrors: errors }} />;
  }
  return <RefusalAlert refusals={refusals ?? []} />;
}
