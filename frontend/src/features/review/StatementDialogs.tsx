// The dialogs for statements with a reason: a missing value cannot be determined, and the document
// is no duplicate of another one.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ClearDuplicateInput, FieldInput } from '../../graphql/generated/bounds';
import { fieldLabel } from '../../lib/labels';
import { ConfirmDialog } from '../../ui/buttons';
import type { ReviewWorkspaceState } from './use-review';

type Statement = { about: 'field' | 'duplicate'; name: string };

/** The statement being asked for, and the functions that ask. */
export function useStatements() {
  const [statement, setStatement] = useState<Statement | null>(null);
  return {
    statement,
    close: () => setStatement(null),
    askUndetermined: (name: string) => setStatement({ about: 'field', name }),
    askDistinct: (name: string) => setStatement({ about: 'duplicate', name }),
  };
}

export function StatementDialogs({
  workspace,
  statements: { statement, close },
}: {
  workspace: ReviewWorkspaceState;
  statements: ReturnType<typeof useStatements>;
}) {
  const { t } = useTranslation();
  const { name = '', about } = statement ?? {};
  const part = about === 'duplicate' ? 'distinct' : 'undetermined';
  const label = about === 'field' ? fieldLabel(t, name) : name;
  return (
    <ConfirmDialog
      opened={statement !== null}
      title={t(`review.${part}.title`, { name: label })}
      confirmLabel={t(`review.${part}.save`)}
      reason={{
        label: t(`review.${part}.reason`),
        required: true,
        maxLength: about === 'duplicate' ? ClearDuplicateInput.reason : FieldInput.undetermined,
      }}
      onConfirm={(reason) => {
        close();
        if (about === 'duplicate') workspace.clearDuplicate(name, reason);
        else workspace.markUndetermined(name, reason);
      }}
      onClose={close}
    >
      {t(`review.${part}.text`)}
    </ConfirmDialog>
  );
}
