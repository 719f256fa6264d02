// A proposed change of control data, with confirming and withdrawing it.
import { Group, Text } from '@mantine/core';
import { type ComponentType, lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import { ConfirmControlChangeInput, WithdrawProposalInput } from '../../graphql/generated/bounds';
import type {
  ControlChangeLineFragment,
  ControlDataQuery,
  QualityStratum,
} from '../../graphql/generated/graphql';
import { useMoves } from '../../graphql/moves';
import { countryText } from '../../lib/countries';
import { dateTimeText } from '../../lib/format';
import { overdueOwners } from '../../lib/owners';
import { processTitle, shareSubject } from '../../lib/sample-shares';
import type { Role } from '../../lib/session';
import { whenOnline } from '../../lib/when-online';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import type { ProposedEffectProps } from '../../ui/proposed-effect';
import { RefusalAlert } from '../../ui/states';
import { PersonName, Timestamp } from '../../ui/values';
import classes from './admin.module.css';
import {
  ConfirmControlChange,
  OwnersOfChange,
  ProposedMigration,
  WithdrawControlChange,
} from './controls.graphql';

// With its texts, which other changes do not need.
const MovePreview = lazy(() =>
  whenOnline(async () => ({
    default: (await import('../../ui/migration/MovePreview')).MovePreview,
  })),
);

interface ItemProps {
  change: ControlChangeLineFragment;
  me: string | null;
  processes: ControlDataQuery['processDefinitions']['nodes'];
  administers: boolean;
  /** Keeps the item in the list while its dialog is open. */
  onHold?: (change: ControlChangeLineFragment | null) => void;
  /** What a proposed limit or account changes for whom. */
  Effect: ComponentType<ProposedEffectProps>;
  onChanged: (message: string) => void;
  /** Receives the password link of a person who was confirmed. It outlives the item. */
  onLink: (link: PasswordLink) => void;
}

export interface PasswordLink {
  name: string;
  link: string;
}

function ProposedMoves({ proposalId }: { proposalId: string }) {
  return <MovePreview readMoves={useMoves({ proposalId })} decides />;
}

export function ControlChangeItem({
  change,
  me,
  processes,
  administers,
  onHold,
  Effect,
  onChanged,
  onLink,
}: ItemProps) {
  const { t } = useTranslation();
  const [ending, setEnding] = useState<'confirm' | 'withdraw' | null>(null);
  const confirm = useCommand(ConfirmControlChange, (data) => data.confirmControlChange);
  const withdraw = useCommand(WithdrawControlChange, (data) => data.withdrawControlChange);
  const command = ending === 'withdraw' ? withdraw : confirm;
  const title = useChangeTitle(change, processes);
  // What the effect that is shown is identified by; undefined until it has been read.
  const [effect, setEffect] = useState<string | null>();
  const [round, setRound] = useState(0);
  const hasEffect = ending === 'confirm' && (change.kind === 'LIMIT' || change.kind === 'PERSON');
  const overdue = useOverdueOwners(change, ending === 'confirm');
  const readAgain = () => {
    setEffect(undefined);
    setRound(round + 1);
  };
  const send = async (reason: string) => {
    const target = { proposalId: change.id, expectedVersion: change.version };
    if (ending === 'withdraw') {
      if (!(await withdraw.run({ ...target, reason }))) return;
      close();
      onChanged(t('admin.controls.withdrawn', { title }));
      return;
    }
    const payload = await confirm.run({
      ...target,
      ...(overdue && { withoutOwners: reason }),
      expectedEffect: hasEffect ? (effect ?? null) : null,
    });
    if (!payload) {
      readAgain(); // the effect may have changed
      return;
    }
    close();
    const result = payload.results[0];
    const secret = result?.signInLink?.secret;
    if (secret) onLink({ name: change.subject, link: `${location.origin}/welcome#${secret}` });
    if (result?.signInLinkFailed) onChanged(t('admin.link.failed', { title }));
    else if (result?.signInLinkSentTo)
      onChanged(t('admin.link.sent', { title, address: result.signInLinkSentTo }));
    else onChanged(t('admin.controls.confirmed', { title }));
  };
  const open = (action: 'confirm' | 'withdraw') => {
    readAgain();
    confirm.clear();
    withdraw.clear();
    setEnding(action);
    onHold?.(change);
  };
  const close = () => {
    setEnding(null);
    onHold?.(null);
  };
  return (
    <li className={classes.item}>
      <div className={classes.long}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        {change.kind === 'CASE_MIGRATION' && change.status === 'PROPOSED' && administers && (
          <>
            <MigrationSize id={change.id} />
            {change.proposedBy?.id !== me && (
              <Suspense fallback={null}>
                <ProposedMoves key={change.id} proposalId={change.id} />
              </Suspense>
            )}
          </>
        )}
        {change.kind === 'GROUP_ROLE' && change.status === 'PROPOSED' && (
          <Text size="sm">{t('admin.controls.groupTakes')}</Text>
        )}
        <Text size="sm">{change.reason}</Text>
        <Text size="xs" c="dimmed">
          {t('admin.controls.proposedBy')} <PersonName person={change.proposedBy} /> ·{' '}
          <Timestamp iso={change.proposedAt} as="moment" />
        </Text>
        {change.decidedBy && change.decidedAt && (
          <Text size="xs" c="dimmed">
            {t(
              change.status === 'WITHDRAWN'
                ? 'admin.controls.withdrawnBy'
                : 'admin.controls.confirmedBy',
            )}{' '}
            <PersonName person={change.decidedBy} /> ·{' '}
            <Timestamp iso={change.decidedAt} as="moment" />
          </Text>
        )}
        {change.withdrawalReason !== '' && <Text size="sm">{change.withdrawalReason}</Text>}
      </div>
      {administers && (
        <Group gap="xs">
          <ButtonWithReason
            disabledReason={disabledReason(change, me, t)}
            onClick={() => open('confirm')}
          >
            {t('admin.controls.confirm')}
          </ButtonWithReason>
          <ButtonWithReason
            disabledReason={null}
            variant="default"
            onClick={() => open('withdraw')}
          >
            {t('admin.controls.withdraw')}
          </ButtonWithReason>
        </Group>
      )}
      <ConfirmDialog
        opened={ending !== null}
        title={t(
          ending === 'withdraw' ? 'admin.controls.withdrawTitle' : 'admin.controls.confirmTitle',
        )}
        confirmLabel={t(
          ending === 'withdraw' ? 'admin.controls.withdraw' : 'admin.controls.confirm',
        )}
        busy={command.busy || (hasEffect && effect === undefined)}
        {...(hasEffect && { size: 'xl' })}
        {...(ending === 'withdraw' && {
          reason: {
            label: t('admin.controls.withdrawReason'),
            required: true,
            maxLength: WithdrawProposalInput.reason,
          },
        })}
        {...(ending === 'confirm' &&
          overdue && {
            reason: {
              label: t('owners.withoutReason'),
              required: true,
              maxLength: ConfirmControlChangeInput.withoutOwners,
            },
          })}
        onConfirm={(reason) => void send(reason)}
        onClose={close}
      >
        {title}
        {ending === 'confirm' && change.kind === 'GROUP_ROLE' && (
          <Text size="sm">{t('admin.controls.groupTakes')}</Text>
        )}
        {hasEffect && <Effect key={round} proposalId={change.id} onRead={setEffect} />}
        {ending === 'confirm' && overdue && <p>{t('owners.without')}</p>}
        <RefusalAlert refusals={command.refusals} error={command.error} />
      </ConfirmDialog>
    </li>
  );
}

/** Whether owners of the process did not decide in time, so that the change can be confirmed without them. */
function useOverdueOwners(
  { id, kind, subject }: ControlChangeLineFragment,
  asked: boolean,
): boolean {
  const owned = kind === 'PROCESS_OWNERS' || kind === 'CASE_MIGRATION';
  const [{ data }] = useQuery({
    query: OwnersOfChange,
    variables: { process: subject },
    pause: !asked || !owned,
    requestPolicy: 'network-only',
  });
  const change = data?.processOwners.changes.find((one) => one.id === id);
  return change !== undefined && overdueOwners(change, Date.now());
}

function disabledReason(
  change: ControlChangeLineFragment,
  me: string | null,
  t: (key: 'admin.controls.second' | 'admin.controls.own') => string,
) {
  if (change.proposedBy?.id === me) return t('admin.controls.second');
  return change.person?.id === me ? t('admin.controls.own') : null;
}

/** How many cases a proposed migration is about, and whether it undoes another one. */
function MigrationSize({ id }: { id: string }) {
  const { t, i18n } = useTranslation();
  const [{ data }] = useQuery({
    query: ProposedMigration,
    variables: { id },
    requestPolicy: 'cache-and-network',
  });
  const found = data?.proposedMigration;
  if (!found) return null;
  const { cases, undoesOf } = found;
  const time = undoesOf && dateTimeText(undoesOf, i18n.language);
  return (
    <Text size="sm">
      {time
        ? t('admin.controls.undoes', { count: cases, time })
        : t('admin.controls.moves', { count: cases })}
      {found.restartDeadlines && ` ${t('admin.controls.restarts')}`}
    </Text>
  );
}

function useChangeTitle(
  change: ControlChangeLineFragment,
  processes: ItemProps['processes'],
): string {
  const { t, i18n } = useTranslation();
  switch (change.kind) {
    case 'COUNTRY_RISK':
      return t('admin.controls.ofCountry', {
        country: countryText(change.subject, i18n.language),
        before: t(`admin.controls.level.${levelOf(change.before)}`),
        after: t(`admin.controls.level.${levelOf(change.after)}`),
      });
    case 'RATE':
      return change.before === ''
        ? t('admin.controls.ofNewRate', { currency: change.subject, after: change.after })
        : t('admin.controls.ofRate', {
            currency: change.subject,
            before: change.before,
            after: change.after,
          });
    case 'CONFLICT_END':
      return t('admin.controls.ofConflict', {
        name: change.person?.name ?? '',
        counterparty: change.subject,
      });
    case 'PARTY_LEAVE':
      return t('admin.controls.ofGroup', { counterparty: change.subject, names: change.before });
    case 'PARTY_JOIN':
      return t('admin.controls.ofJoin', { counterparty: change.subject, names: change.after });
    case 'SAMPLE_SHARE': {
      const { process, stratum } = shareSubject(change.subject);
      return t('admin.controls.ofShare', {
        process: processTitle(processes, i18n.language, process),
        stratum: t(`quality.strata.${stratum as QualityStratum}`),
        before: change.before,
        after: change.after,
      });
    }
    case 'PERSON':
      return t('admin.controls.ofPerson', {
        name: change.subject,
        before: change.before || t('admin.controls.noAccount'),
        after: change.after,
      });
    case 'SIGN_IN':
      return t('admin.controls.ofSignIn', { name: change.subject });
    case 'LIMIT':
      return t('admin.controls.ofLimit', {
        subject: change.subject.replace(/\/$/, ''),
        before: change.before || t('admin.controls.noLimit'),
        after: change.after || t('admin.controls.noLimit'),
      });
    case 'QUEUE':
      return t('admin.controls.ofQueue', {
        name: change.subject,
        before: change.before || t('admin.controls.noQueue'),
        after: change.after,
      });
    case 'CALENDAR':
      return t('admin.controls.ofCalendar', {
        name: change.subject,
        before: change.before || t('admin.controls.noCalendar'),
        after: change.after,
      });
    case 'ERASURE':
      return t('admin.controls.ofErasure', { cases: change.before });
    case 'LEGAL_HOLD':
      return t('admin.controls.ofHold', { case: change.subject, reason: change.before });
    case 'RETENTION':
      return t('admin.controls.ofRetention', {
        type: change.subject === '*' ? t('admin.controls.allTypes') : change.subject,
        before: change.before,
        after: change.after,
      });
    case 'DELEGATION':
      return t('admin.controls.ofDelegation', { name: change.subject, after: change.after });
    case 'ABSENCE':
      return t('admin.controls.ofSubstitute', { name: change.subject, after: change.after });
    case 'SKILLS':
      return t('admin.controls.ofSkills', {
        name: change.subject,
        before: change.before || t('admin.controls.noSkills'),
        after: change.after || t('admin.controls.noSkills'),
      });
    case 'PROXIES':
      return t('admin.controls.ofProxies', {
        before: change.before || t('admin.controls.noSkills'),
        after: change.after,
      });
    case 'GROUP_ROLE':
      return t('admin.controls.ofGroupRole', {
        group: change.subject,
        role: t(`app.roles.${change.after as Role}`, { defaultValue: change.after }),
      });
    case 'CASE_MIGRATION':
      return t('admin.controls.ofMigration', {
        subject: processTitle(processes, i18n.language, change.subject),
        before: change.before,
        after: change.after,
      });
    case 'PROCESS_OWNERS':
      return t('admin.controls.ofOwners', {
        subject: processTitle(processes, i18n.language, change.subject),
        before: change.before || t('admin.controls.noSkills'),
        after: change.after || t('admin.controls.noSkills'),
      });
    case 'CONNECTOR':
      return t('admin.controls.ofConnector', {
        name: change.subject,
        before: change.before || t('admin.controls.noConnector'),
        after: change.after,
      });
    case 'DRAW_MARK':
      return t('admin.controls.ofMark', {
        subject: processTitle(processes, i18n.language, change.subject),
        before: change.before || t('admin.controls.noMark'),
        after: change.after || t('admin.controls.noMark'),
      });
  }
}

function levelOf(stored: string) {
  if (stored === 'high') return 'HIGH';
  return stored === 'elevated' ? 'ELEVATED' : 'NONE';
}
