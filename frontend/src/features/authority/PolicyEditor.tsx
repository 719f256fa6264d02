// The rules as text, checked as one types, and proposed as the next version.
import { Button, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { useCommand } from '../../graphql/command';
import { ProposeDefinitionInput } from '../../graphql/generated/bounds';
import type { CheckPolicyQuery } from '../../graphql/generated/graphql';
import { problemMessage } from '../../lib/problem-words';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import { RefusalAlert } from '../../ui/states';
import { TextEditor } from '../../ui/TextEditor';
import { CheckPolicy, ProposePolicy } from './authority.graphql';
import classes from './authority.module.css';
import { asNext } from './powers';

/** How long one rests from typing before the text is checked, in milliseconds. */
const pause = 350;

interface PolicyEditorProps {
  /** The version in force, and its number. */
  document: string;
  newest: number;
  onDone: () => void;
  onClose: () => void;
}

/** What stands against the text; null while it is not known. */
function useProblems(text: string): CheckPolicyQuery['checkPolicy'] | null {
  const client = useClient();
  const [known, setKnown] = useState<{
    text: string;
    problems: CheckPolicyQuery['checkPolicy'];
  } | null>(null);
  useEffect(() => {
    let wanted = true;
    const timer = setTimeout(async () => {
      const asked = client.query(
        CheckPolicy,
        { document: text },
        { requestPolicy: 'network-only' },
      );
      const { data } = await asked.toPromise();
      if (wanted && data) setKnown({ text, problems: data.checkPolicy });
    }, pause);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [client, text]);
  return known?.text === text ? known.problems : null;
}

export function PolicyEditor({ document, newest, onDone, onClose }: PolicyEditorProps) {
  const { t } = useTranslation();
  const [begun] = useState(() => asNext(document, newest + 1));
  const [text, setText] = useState(begun);
  const [asking, setAsking] = useState(false);
  const problems = useProblems(text);
  const command = useCommand(ProposePolicy, (data) => data.proposePolicy);
  const why =
    text === begun
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
        <ButtonWithReason disabledReason={why} onClick={() => setAsking(true)}>
          {t('authority.policy.propose')}
        </ButtonWithReason>
        <Button variant="default" onClick={onClose}>
          {t('ui.cancel')}
        </Button>
      </Group>
      <ConfirmDialog
        opened={asking}
        title={t('authority.policy.proposeTitle')}
        confirmLabel={t('authority.policy.propose')}
        busy={command.busy}
        reason={{
          label: t('authority.policy.note'),
          required: false,
          maxLength: ProposeDefinitionInput.note,
        }}
        onClose={() => setAsking(false)}
        onConfirm={async (note) => {
          const done = await command.run({
            document: text,
            note: note || null,
            expectedVersion: String(newest),
          });
          if (done) onDone();
        }}
      >
        {t('authority.policy.proposeText')}
        <RefusalAlert refusals={command.refusals} error={command.error} />
      </ConfirmDialog>
    </>
  );
}
