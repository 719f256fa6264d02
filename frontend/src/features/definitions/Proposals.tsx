// What is proposed to become the next version, and what became of earlier proposals. A second administrator publishes.
import { Group, Text, Title } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { WithdrawProposalInput } from '../../graphql/generated/bounds';
import { newKey } from '../../lib/keys';
import { hasRole, usePerson } from '../../lib/session';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import { Icon } from '../../ui/Icon';
import { Badge, type Tone } from '../../ui/StatusBadge';
import { RefusalAlert } from '../../ui/states';
import { TextDiff } from '../../ui/TextDiff';
import { PersonName, Timestamp } from '../../ui/values';
import { asksToConfirm, type Outcome } from './commands';
import classes from './definitions.module.css';
import { type Kind, useLife } from './life';
import { type Proposal, publishObstacle } from './processes';
import { ReportList } from './ReportList';

interface ProposalsProps {
  kind: Kind;
  proposals: readonly Proposal[];
  /** Texts by version, to show what a proposal changes. */
  texts: ReadonlyMap<number, string>;
  /** Id of who looks at it. */
  me: string | null;
  onChanged: () => void;
}

const tones: Record<Proposal['status'], Tone> = {
  PROPOSED: 'warn',
  PUBLISHED: 'good',
  WITHDRAWN: 'calm',
};

export function Proposals({ kind, proposals, texts, me, onChanged }: ProposalsProps) {
  const { t } = useTranslation();
  if (proposals.length === 0) return null;
  const open = proposals.filter(({ status }) => status === 'PROPOSED');
  const past = proposals.filter(({ status }) => status !== 'PROPOSED');
  return (
    <section className="cs-card" aria-labelledby="proposals">
      <Title order={2} id="proposals" mb="xs">
        {t('definitions.proposals.title')}
      </Title>
      {open.length === 0 && <Text c="dimmed">{t('definitions.proposals.none')}</Text>}
      <ul className={classes.proposals}>
        {open.map((one) => (
          <OpenProposal
            key={one.id}
            kind={kind}
            one={one}
            texts={texts}
            me={me}
            onChanged={onChanged}
          />
        ))}
      </ul>
      {past.length > 0 && (
        <details className={classes.past}>
          <summary>{t('definitions.proposals.past', { count: past.length })}</summary>
          <ul className={classes.proposals}>
            {past.map((one) => (
              <li key={one.id}>
                <ProposalWords one={one} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function ProposalWords({ one }: { one: Proposal }) {
  const { t } = useTranslation();
  return (
    <div>
      <Group gap="xs">
        <Badge tone={tones[one.status]} icon={one.status === 'PUBLISHED' ? 'done' : 'pen'}>
          {t(`definitions.proposals.status.${one.status}`)}
        </Badge>
        <Text size="sm" fw={600} span>
          {one.restores
            ? t('definitions.proposals.restores', {
                version: one.nextVersion,
                earlier: one.restores,
              })
            : t('definitions.version', { version: one.nextVersion })}
        </Text>
        <Text size="xs" c="dimmed" span>
          <PersonName person={one.proposedBy} /> · <Timestamp iso={one.proposedAt} as="moment" />
        </Text>
      </Group>
      {one.note && <Text size="sm">{one.note}</Text>}
      {one.decidedAt && (
        <Text size="xs" c="dimmed">
          {t(`definitions.proposals.status.${one.status}`)} · <PersonName person={one.decidedBy} />{' '}
          · <Timestamp iso={one.decidedAt} as="moment" />
          {one.reason && ` · ${one.reason}`}
        </Text>
      )}
    </div>
  );
}

function OpenProposal({
  kind,
  one,
  texts,
  me,
  onChanged,
}: { one: Proposal } & Omit<ProposalsProps, 'proposals'>) {
  const { t } = useTranslation();
  const person = usePerson();
  const mayDecide = hasRole(person, 'administrator');
  const life = useLife(kind);
  const [asked, setAsked] = useState<'publish' | 'withdraw' | null>(null);
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const key = useRef(newKey());
  const obstacle = publishObstacle(one, me);
  const before = texts.get(one.baseVersion);
  const confirm = asksToConfirm(outcome) || one.report.understaffed.length > 0;
  const send = async (reason: string) => {
    setBusy(true);
    const once = { proposalId: one.id, expectedVersion: one.version, idempotencyKey: key.current };
    const result =
      asked === 'withdraw'
        ? await life.withdraw({ ...once, reason })
        : await life.publish({ ...once, confirm });
    setBusy(false);
    setOutcome(result);
    if (result.refusals.length > 0) key.current = newKey();
    if (result.done) setAsked(null);
    if (!result.error) onChanged();
  };
  const close = () => {
    setAsked(null);
    setOutcome(null);
  };
  return (
    <li>
      <ProposalWords one={one} />
      <ReportList kind={kind} report={one.report} nodes={[]} />
      {before !== undefined && (
        <>
          <Text size="sm" mt="xs">
            {t('definitions.proposals.changes', { version: one.baseVersion })}
          </Text>
          <TextDiff
            before={before}
            after={one.document}
            label={t('definitions.proposals.difference')}
          />
        </>
      )}
      <details className={classes.past}>
        <summary>{t('definitions.look.text')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard */}
        <section className={classes.text} tabIndex={0} aria-label={t('definitions.look.text')}>
          <pre>{one.document}</pre>
        </section>
      </details>
      {mayDecide && (
        <Group gap="xs" mt="xs">
          <ButtonWithReason
            disabledReason={obstacle && t(`definitions.proposals.obstacle.${obstacle}`)}
            onClick={() => setAsked('publish')}
            leftSection={<Icon name="check" size={16} />}
          >
            {t('definitions.proposals.publish')}
          </ButtonWithReason>
          <ButtonWithReason
            disabledReason={null}
            variant="default"
            onClick={() => setAsked('withdraw')}
          >
            {t('definitions.proposals.withdraw')}
          </ButtonWithReason>
        </Group>
      )}
      <ConfirmDialog
        opened={asked !== null}
        title={t(
          asked === 'withdraw' ? 'definitions.withdraw.title' : 'definitions.publish.title',
          {
            version: one.nextVersion,
          },
        )}
        confirmLabel={t(
          asked === 'withdraw' ? 'definitions.proposals.withdraw' : 'definitions.proposals.publish',
        )}
        busy={busy}
        {...(asked === 'withdraw' && {
          danger: true,
          reason: {
            label: t('definitions.withdraw.reason'),
            required: true,
            maxLength: WithdrawProposalInput.reason,
          },
        })}
        onConfirm={(reason) => void send(reason)}
        onClose={close}
      >
        {asked === 'publish' && (
          <p>{t(kind === 'rules' ? 'definitions.rules.publish' : 'definitions.publish.text')}</p>
        )}
        {asked === 'publish' && confirm && <p>{t('definitions.publish.understaffed')}</p>}
        {outcome && !outcome.done && (
          <RefusalAlert refusals={outcome.refusals} error={outcome.error} />
        )}
      </ConfirmDialog>
    </li>
  );
}
