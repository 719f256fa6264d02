// Proposes a text, with an optional note.
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ProposeDefinitionInput } from '../../graphql/generated/bounds';
import { isLost, useResend } from '../../graphql/resend';
import { newKey } from '../../lib/keys';
import { ButtonWithReason, ConfirmDialog } from '../../ui/buttons';
import { RefusalAlert } from '../../ui/states';
import { Cautions } from './Cautions';
import type { Outcome } from './commands';
import { deleteDraft } from './draft';
import type { Problem } from './processes';
import { type Kind, kindTexts, useVersionCommands } from './version-commands';

interface ProposeButtonProps {
  kind: Kind;
  /** Why the text cannot be proposed now; null if it can. */
  disabledReason: string | null;
  text: string;
  /** The number of the newest version, 0 if there is none. */
  newest: number;
  draftKey: string;
  /** The open proposal that the text changes; null for none. */
  replaces?: string | null;
  /** What the check of the text warns of. */
  warnings: readonly Problem[];
}

export function ProposeButton({
  kind,
  disabledReason,
  text,
  newest,
  draftKey,
  replaces = null,
  warnings,
}: ProposeButtonProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const commands = useVersionCommands(kind);
  const [opened, setOpened] = useState(false);
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const resend = useResend();
  const key = useRef(newKey());
  const send = async (note: string) => {
    setBusy(true);
    const input = {
      document: text,
      expectedVersion: String(newest),
      replaces,
      idempotencyKey: key.current,
    };
    const result = await commands.propose({ ...input, ...(note !== '' && { note }) });
    setBusy(false);
    setOutcome(result);
    if (!result.error) key.current = newKey();
    if (!result.done || !result.key) return isLost(result.error);
    deleteDraft(draftKey);
    void navigate({
      to: kindTexts[kind].page,
      params: { key: result.key },
    });
    return false;
  };
  return (
    <>
      <ButtonWithReason disabledReason={disabledReason} onClick={() => setOpened(true)}>
        {t('definitions.edit.propose')}
      </ButtonWithReason>
      <ConfirmDialog
        opened={opened}
        title={t('definitions.edit.proposeTitle')}
        confirmLabel={t('definitions.edit.propose')}
        busy={busy}
        reason={{
          label: t('definitions.edit.note'),
          required: false,
          maxLength: ProposeDefinitionInput.note,
        }}
        onConfirm={(note) => void resend(() => send(note))}
        onClose={() => setOpened(false)}
      >
        {t(kindTexts[kind].propose)}
        {replaces !== null && <p>{t('definitions.edit.replaces')}</p>}
        <Cautions warnings={warnings} />
        {outcome && !outcome.done && (
          <RefusalAlert refusals={outcome.refusals} error={outcome.error} />
        )}
      </ConfirmDialog>
    </>
  );
}
