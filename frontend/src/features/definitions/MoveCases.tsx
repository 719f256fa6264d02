// The form to move the running cases of an earlier version to the newest one: the plan with its
// problems, a preview and the proposal.
import { Checkbox, Group, Select, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import { ProposeMigrationInput } from '../../graphql/generated/bounds';
import { useMoves } from '../../graphql/moves';
import { problemMessage } from '../../lib/problem-labels';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import { MovePreview } from '../../ui/migration/MovePreview';
import moves from '../../ui/migration/moves.module.css';
import { DoneNotice, ErrorState, Notice, RefusalAlert } from '../../ui/states';
import { MigrationHistory } from './MigrationHistory';
import { CheckMigration, ProposeMigration } from './migration.graphql';
import { localizedName } from './processes';

/** The value of the choice that cases stay. */
const stay = '-';

interface MoveCasesProps {
  process: string;
  newest: number;
  /** The earlier versions, newest first. */
  versions: readonly number[];
}

export function MoveCases({ process, newest, versions }: MoveCasesProps) {
  const { t } = useTranslation();
  const [from, setFrom] = useState<number | null>(null);
  const [done, setDone] = useState('');
  const [progress, setProgress] = useState('');
  return (
    <section className="cs-card" aria-labelledby="move-cases">
      <Title order={2} id="move-cases">
        {t('migration.title')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('migration.intro')}
      </Text>
      <DoneNotice message={done} />
      <Select
        mt="sm"
        maw={240}
        label={t('migration.from')}
        data={versions.map((version) => ({
          value: String(version),
          label: t('definitions.version', { version }),
        }))}
        value={from === null ? null : String(from)}
        onChange={(value) => setFrom(value === null ? null : Number(value))}
      />
      {from !== null && (
        <Plan
          key={from}
          process={process}
          from={from}
          to={newest}
          progress={progress}
          onProposed={() => {
            setFrom(null);
            setDone(t('migration.proposed'));
          }}
        />
      )}
      <MigrationHistory process={process} onDone={setDone} onProgress={setProgress} />
    </section>
  );
}

interface PlanProps {
  process: string;
  from: number;
  to: number;
  /** The state of the migrations, which changes the running cases of a version. */
  progress: string;
  onProposed: () => void;
}

function Plan({ process, from, to, progress, onProposed }: PlanProps) {
  const { t, i18n } = useTranslation();
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const [restart, setRestart] = useState(false);
  const [asking, setAsking] = useState(false);
  const command = useCommand(ProposeMigration, (data) => data.proposeMigration);
  const plan = {
    process,
    fromVersion: from,
    toVersion: to,
    nodes: Object.entries(chosen).map(([node, target]) => ({
      from: node,
      to: target === stay ? '' : target,
    })),
    restartDeadlines: restart,
  };
  const [{ data, error }, refetch] = useQuery({
    query: CheckMigration,
    variables: { plan },
    requestPolicy: 'cache-and-network',
  });
  const readMoves = useMoves({ plan });
  // Another person's migration was carried out, so the plan is about other cases now.
  const planned = useRef(progress);
  useEffect(() => {
    if (planned.current === progress) return;
    planned.current = progress;
    refetch({ requestPolicy: 'network-only' });
  }, [progress, refetch]);
  if (!data) return error && <ErrorState error={error} onRetry={() => refetch()} />;
  const { nodes, targets, problems, cases } = data.checkMigration;
  const label = (node: { labels: readonly { name: string; value: string }[] }, id: string) =>
    localizedName(node.labels, i18n.language, id);
  const refused = problems.length > 0 ? t('migration.previewFirst') : null;
  const propose = async (reason: string) => {
    const payload = await command.run({ plan, reason });
    if (!payload) return;
    setAsking(false);
    onProposed();
  };
  return (
    <>
      <Text mt="sm">{t('migration.cases', { count: cases, version: from })}</Text>
      <table className={moves.moves} aria-label={t('migration.mapping')}>
        <thead>
          <tr>
            <th scope="col">{t('migration.old', { version: from })}</th>
            <th scope="col">{t('migration.new', { version: to })}</th>
          </tr>
        </thead>
        <tbody>
          {nodes
            .filter((node) => node.required)
            .map((node) => (
              <tr key={node.from}>
                <th scope="row">{label(node, node.from)}</th>
                <td>
                  <Select
                    aria-label={label(node, node.from)}
                    placeholder={t('migration.choose')}
                    allowDeselect={false}
                    data={[
                      { value: stay, label: t('migration.stays') },
                      ...targets
                        .filter((target) => target.kind === node.kind)
                        .map((target) => ({ value: target.id, label: label(target, target.id) })),
                    ]}
                    value={node.stays ? stay : node.to || null}
                    error={problems
                      .filter((problem) => problem.node === node.from)
                      .map((problem) => problemMessage(t, problem))
                      .join(' ')}
                    onChange={(value) =>
                      value !== null && setChosen({ ...chosen, [node.from]: value })
                    }
                  />
                </td>
              </tr>
            ))}
        </tbody>
      </table>
      {problems
        .filter((problem) => !nodes.some((node) => node.required && node.from === problem.node))
        .map((problem) => (
          <Notice key={`${problem.rule} ${problem.node}`} tone="bad" icon="refused">
            {problem.node !== '' && `${problem.node}: `}
            {problemMessage(t, problem)}
          </Notice>
        ))}
      {problems.length === 0 && <Text size="sm">{t('migration.sound')}</Text>}
      <Checkbox
        mt="sm"
        label={t('migration.restart')}
        checked={restart}
        onChange={(event) => setRestart(event.currentTarget.checked)}
      />
      {problems.length === 0 && (
        <MovePreview key={JSON.stringify([plan, progress])} readMoves={readMoves} />
      )}
      <Group mt="sm">
        <ButtonWithReason disabledReason={refused} onClick={() => setAsking(true)}>
          {t('migration.propose')}
        </ButtonWithReason>
      </Group>
      <ConfirmDialog
        opened={asking}
        title={t('migration.proposeTitle')}
        confirmLabel={t('migration.propose')}
        busy={command.busy}
        reason={{
          label: t('migration.reason'),
          required: true,
          maxLength: ProposeMigrationInput.reason,
        }}
        onConfirm={(reason) => void propose(reason)}
        onClose={() => setAsking(false)}
      >
        {t('migration.proposeText')}
        <RefusalAlert refusals={command.refusals} error={command.error} />
      </ConfirmDialog>
    </>
  );
}
