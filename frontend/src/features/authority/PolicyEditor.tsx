// Shows a changed policy as limits and as text, and its effect, and proposes it as the next version.
import { Button, Group, Text } from '@mantine/core';
import { type ComponentType, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { ProposeDefinitionInput } from '../../graphql/generated/bounds';
import type { AuthorityQuery } from '../../graphql/generated/graphql';
import { problemMessage } from '../../lib/problem-labels';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import type { ChangeRehearsalProps } from '../../ui/change-rehearsal';
import { RefusalAlert } from '../../ui/states';
import { TextEditor } from '../../ui/TextEditor';
import { ProposePolicy } from './authority.graphql';
import classes from './authority.module.css';
import { ChangedLimits } from './ChangedLimits';
import { PolicyEffect } from './PolicyEffect';
import { usePolicyPreview } from './use-policy-preview';

interface PolicyEditorProps {
  text: string;
  /** The text before it was changed, and the version on which it is based. */
  initial: string;
  base: number;
  limits: AuthorityQuery['limits'];
  roles: AuthorityQuery['roles'];
  ChangeRehearsal: ComponentType<ChangeRehearsalProps>;
  onChange: (text: string) => void;
  onLowered: (message: string) => void;
  /** Another person has changed a limit: the page reads them. */
  onStale: () => void;
  onDone: () => void;
  onClose: () => void;
}

export function PolicyEditor(props: PolicyEditorProps) {
  const { text, initial, base, limits, roles, ChangeRehearsal } = props;
  const { onChange, onLowered, onStale, onDone, onClose } = props;
  const { t } = useTranslation();
  const [confirming, setConfirming] = useState(false);
  const { preview, failed } = usePolicyPreview(text);
  const problems = preview?.problems ?? null;
  const command = useCommand(ProposePolicy, (data) => data.proposePolicy);
  const disabledReason =
    text === initial
      ? t('authority.policy.unchanged')
      : problems === null
        ? t(failed ? 'authority.effect.failed' : 'authority.policy.checking')
        : problems.length > 0
          ? t('authority.policy.faulty')
          : null;
  return (
    <>
      <ChangedLimits
        text={text}
        limits={limits}
        roles={roles}
        preview={preview}
        onChange={onChange}
        onLowered={onLowered}
        onStale={onStale}
      />
      <TextEditor
        value={text}
        onChange={onChange}
        label={t('authority.policy.text')}
        invalid={(problems?.length ?? 0) > 0}
      />
      <div role="status">
        {problems?.length === 0 && <Text size="sm">{t('authority.policy.sound')}</Text>}
        {problems && problems.length > 0 && (
          <ul className={classes.problems}>
            {problems.map((problem) => (
              <li key={`${problem.node} ${problem.message}`}>
                {problem.node && <span className="cs-mono">{problem.node}: </span>}
                {problemMessage(t, problem)}
              </li>
            ))}
          </ul>
        )}
      </div>
      {text !== initial && <PolicyEffect preview={preview} failed={failed} />}
      {text !== initial && (
        <ChangeRehearsal
          change={disabledReason ? null : { policy: text }}
          disabledReason={disabledReason}
        />
      )}
      <Group mt="xs">
        <ButtonWithReason disabledReason={disabledReason} onClick={() => setConfirming(true)}>
          {t('authority.policy.propose')}
        </ButtonWithReason>
        <Button variant="default" onClick={onClose}>
          {t('ui.cancel')}
        </Button>
      </Group>
      <ConfirmDialog
        opened={confirming}
        title={t('authority.policy.proposeTitle')}
        confirmLabel={t('authority.policy.propose')}
        busy={command.busy}
        reason={{
          label: t('authority.policy.note'),
          required: false,
          maxLength: ProposeDefinitionInput.note,
        }}
        onClose={() => setConfirming(false)}
        onConfirm={async (note) => {
          const payload = await command.run({
            document: text,
            note: note || null,
            expectedVersion: String(base),
          });
          if (payload) onDone();
        }}
      >
        {t('authority.policy.proposeText')}
        <RefusalAlert refusals={command.refusals} error={command.error} />
      </ConfirmDialog>
    </>
  );
}
