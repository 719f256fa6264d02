// Edits the policy as a table and as text, shows its effect, and proposes it as the next version.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import { ProposeDefinitionInput } from '../../graphql/generated/bounds';
import type { PolicyHistoryQuery } from '../../graphql/generated/graphql';
import { problemMessage } from '../../lib/problem-labels';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import { RefusalAlert } from '../../ui/states';
import { TextEditor } from '../../ui/TextEditor';
import { ProposePolicy } from './authority.graphql';
import classes from './authority.module.css';
import { PolicyEffect } from './PolicyEffect';
import { PolicyMatrix } from './PolicyMatrix';
import { withNextVersion } from './permissions';
import { usePolicyPreview } from './use-policy-preview';

interface PolicyEditorProps {
  /** The text and the number of the active version. */
  document: string;
  newest: number;
  terms: PolicyHistoryQuery['policyTerms']['actions'];
  roles: PolicyHistoryQuery['roles'];
  onDone: () => void;
  onClose: () => void;
}

export function PolicyEditor({
  document,
  newest,
  terms,
  roles,
  onDone,
  onClose,
}: PolicyEditorProps) {
  const { t } = useTranslation();
  const [initial] = useState(() => withNextVersion(document, newest + 1));
  const [text, setText] = useState(initial);
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
      <PolicyMatrix text={text} terms={terms} roles={roles} onChange={setText} />
      <TextEditor
        value={text}
        onChange={setText}
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
            expectedVersion: String(newest),
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
