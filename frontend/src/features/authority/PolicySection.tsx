// The policy: open proposals, and versions with their changes.
import { Group, NativeSelect, Text, Title } from '@mantine/core';
import { type ComponentType, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import { RestorePolicyInput } from '../../graphql/generated/bounds';
import { useHeld } from '../../lib/use-held';
import { useRefused } from '../../lib/use-stale';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import type { PolicyRehearsalsProps } from '../../ui/policy-rehearsals';
import { ErrorState, LoadingState, RefusalAlert } from '../../ui/states';
import { TextDiff } from '../../ui/TextDiff';
import { PersonName, Timestamp } from '../../ui/values';
import { PolicyHistory, RestorePolicy } from './authority.graphql';
import classes from './authority.module.css';
import { ProposalItem } from './PolicyProposal';

interface PolicySectionProps {
  me: string | null;
  administers: boolean;
  Rehearsals: ComponentType<PolicyRehearsalsProps>;
  /** Called after another version was published. */
  onChanged: () => void;
}

export function PolicySection({ me, administers, Rehearsals, onChanged }: PolicySectionProps) {
  const { t } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: PolicyHistory,
    requestPolicy: 'cache-and-network',
  });
  const [chosen, setChosen] = useState<number | null>(null);
  const { rows: openProposals, hold } = useHeld(
    (data?.proposals.nodes ?? []).filter(({ status }) => status === 'PROPOSED'),
  );
  const reload = () => {
    refetch({ requestPolicy: 'network-only' });
    onChanged();
  };
  if (error && !data) return <ErrorState error={error} onRetry={reload} />;
  if (!data) return <LoadingState lines={6} />;
  const versions = data.policies.nodes;
  const newest = versions.find((one) => one.newest) ?? versions[0];
  const selected = versions.find(({ version }) => version === chosen) ?? newest;
  const previous = versions.find(({ version }) => version === (selected?.version ?? 0) - 1);
  return (
    <section className="cs-card" aria-labelledby="policy">
      <Title order={2} id="policy" mb={4}>
        {t('authority.policy.title')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('authority.policy.intro')}
      </Text>
      <ul className={classes.list} aria-label={t('authority.policy.proposals')}>
        {openProposals.map((one) => (
          <ProposalItem
            key={one.id}
            proposal={one}
            before={versions.find(({ version }) => version === one.baseVersion)?.document ?? null}
            me={me}
            administers={administers}
            Rehearsals={Rehearsals}
            onHold={hold}
            onChanged={reload}
          />
        ))}
      </ul>
      {selected && (
        <>
          <Group align="flex-end" gap="sm" mb="xs">
            <NativeSelect
              label={t('authority.policy.version')}
              value={String(selected.version)}
              onChange={(event) => setChosen(Number(event.currentTarget.value))}
              data={versions.map(({ version, newest: inForce }) => ({
                value: String(version),
                label: inForce
                  ? t('authority.policy.inForce', { version })
                  : t('authority.policy.one', { version }),
              }))}
            />
            {administers && !selected.newest && newest && (
              <Restore version={selected.version} newest={newest.version} onDone={reload} />
            )}
          </Group>
          <Text size="xs" c="dimmed" mb="xs">
            {selected.publishedBy ? (
              <PersonName person={selected.publishedBy} />
            ) : (
              t('authority.policy.withProgram')
            )}{' '}
            · <Timestamp iso={selected.publishedAt} as="moment" />
          </Text>
          {previous ? (
            <>
              <Text size="sm">{t('authority.policy.changed', { version: previous.version })}</Text>
              <TextDiff
                before={previous.document}
                after={selected.document}
                label={t('authority.policy.difference')}
              />
            </>
          ) : (
            <Text size="sm">{t('authority.policy.first')}</Text>
          )}
        </>
      )}
    </section>
  );
}

function Restore({
  version,
  newest,
  onDone,
}: {
  version: number;
  newest: number;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const [confirming, setConfirming] = useState(false);
  const command = useCommand(RestorePolicy, (data) => data.restorePolicy);
  // The version in force is another one now: the page reads it, and what was typed is sent again.
  useRefused(command.refusals, onDone);
  return (
    <>
      <ButtonWithReason disabledReason={null} variant="default" onClick={() => setConfirming(true)}>
        {t('authority.policy.restore')}
      </ButtonWithReason>
      <ConfirmDialog
        opened={confirming}
        title={t('authority.policy.restoreTitle', { version })}
        confirmLabel={t('authority.policy.propose')}
        busy={command.busy}
        reason={{
          label: t('authority.policy.note'),
          required: false,
          maxLength: RestorePolicyInput.note,
        }}
        onClose={() => setConfirming(false)}
        onConfirm={async (note) => {
          const input = {
            policyVersion: version,
            note: note || null,
            expectedVersion: String(newest),
          };
          if (!(await command.run(input))) return;
          setConfirming(false);
          onDone();
        }}
      >
        {t('authority.policy.proposeText')}
        <RefusalAlert refusals={command.refusals} error={command.error} />
      </ConfirmDialog>
    </>
  );
}
