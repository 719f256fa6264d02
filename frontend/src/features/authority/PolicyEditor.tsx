// Edits the policy as text, checks it while typing, and proposes it as the next version.
import { Button, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { useCommand } from '../../graphql/command';
import { ProposeDefinitionInput } from '../../graphql/generated/bounds';
import type { CheckPolicyQuery } from '../../graphql/generated/graphql';
import { problemMessage } from '../../lib/problem-labels';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import { RefusalAlert } from '../../ui/states';
import { TextEditor } from '../../ui/TextEditor';
import { CheckPolicy, ProposePolicy } from './authority.graphql';
import classes from './authority.module.css';
import { withNextVersion } from './permissions';

/** The delay between the last key press and the check, in milliseconds. */
const checkDelay = 350;

interface PolicyEditorProps {
  /** The text and the number of the active version. */
  document: string;
  newest: number;
  onDone: () => void;
  onClose: () => void;
}

/** The problems of the text; null until the check has returned. */
function useProblems(text: string): CheckPolicyQuery['checkPolicy'] | null {
  const client = useClient();
  const [checked, setChecked] = useState<{
    text: string;
    problems: CheckPolicyQuery['checkPolicy'];
  } | null>(null);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(async () => {
      const request = client.query(
        CheckPolicy,
        { document: text },
        { requestPolicy: 'network-only' },
      );
      const { data } = await request.toPromise();
      if (current && data) setChecked({ text, problems: data.checkPolicy });
    }, checkDelay);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [client, text]);
  return checked?.text === text ? checked.problems : null;
}

export function PolicyEditor({ document, newest, onDone, onClose }: PolicyEditorProps) {
  const { t } = useTranslation();
  const [initial] = useState(() => withNextVersion(document, newest + 1));
  const [text, setText] = useState(initial);
  const [confirming, setConfirming] = useState(false);
  const problems = useProblems(text);
  const command = useCommand(ProposePolicy, (data) => data.proposePolicy);
  const disabledReason =
    text === initial
      ? t('authority.policy.unchanged')
      : problems === null
        ? t('authority.policy.checking')
        : problems.length > 0
          ? t('authority.policy.faulty')
          : null;
  return (
    <>
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
