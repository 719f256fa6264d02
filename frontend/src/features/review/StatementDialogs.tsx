// The dialogs for statements with a reason: a missing value cannot be determined, and the document
// is no duplicate of another one.
import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { ClearDuplicateInput, FieldInput } from '../../graphql/generated/bounds';
import { labelIn } from '../../lib/field-labels';
import { fieldLabel } from '../../lib/labels';
import { ConfirmDialog } from '../../ui/buttons';
import { Notice, RefusalAlert } from '../../ui/states';
import { NamedValues } from './compare.graphql';
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
  reviewId,
  workspace,
  statements: { statement, close },
}: {
  reviewId: string;
  workspace: ReviewWorkspaceState;
  statements: ReturnType<typeof useStatements>;
}) {
  const { t } = useTranslation();
  const { name = '', about } = statement ?? {};
  const [sent, setSent] = useState(false);
  const [{ data }, reread] = useQuery({
    query: NamedValues,
    variables: { reviewId, reference: name },
    pause: about !== 'duplicate',
    requestPolicy: 'network-only',
  });
  const other = data?.comparison?.other ?? null;
  const part = about === 'duplicate' ? 'distinct' : 'undetermined';
  const label = about === 'field' ? fieldLabel(t, name) : name;
  const { snapshot } = workspace;
  const { refusals, failure } = snapshot.context;
  const refused = sent && refusals.length > 0;
  const changed = refusals.some(({ values }) =>
    values?.some(({ value }) => value === 'other_case_changed'),
  );
  // The other document changed: the dialog shows what it states now, and keeps the reason.
  useEffect(() => {
    if (refused && about === 'duplicate') reread({ requestPolicy: 'network-only' });
  }, [refused, about, reread]);
  const end = () => {
    setSent(false);
    workspace.cancelResend();
    close();
  };
  const send = (reason: string) => {
    setSent(true);
    if (about !== 'duplicate') workspace.markUndetermined(name, reason, end);
    else {
      const duplicate = { reference: name, reason, otherVersion: other?.version ?? null };
      workspace.clearDuplicate(duplicate, end);
    }
  };
  return (
    <ConfirmDialog
      opened={statement !== null}
      title={t(`review.${part}.title`, { name: label })}
      confirmLabel={t(`review.${part}.save`)}
      busy={snapshot.matches('saving')}
      reason={{
        label: t(`review.${part}.reason`),
        required: true,
        maxLength: about === 'duplicate' ? ClearDuplicateInput.reason : FieldInput.undetermined,
      }}
      onConfirm={send}
      onClose={end}
    >
      {t(`review.${part}.text`)}
      {other && about === 'duplicate' && <OtherValues reference={name} fields={other.fields} />}
      {sent && !changed && <RefusalAlert refusals={refusals} failure={failure} />}
      {sent && (changed || snapshot.matches({ mine: 'conflict' })) && (
        <Notice tone="warn" icon="person" live>
          {changed ? t('review.distinct.changed', { reference: name }) : t('refusals.StaleVersion')}
        </Notice>
      )}
    </ConfirmDialog>
  );
}

/** The values by which documents are compared, as the other one states them. */
const comparedFields = new Set(['vendor', 'number', 'date', 'total', 'currency']);

interface OtherValuesProps {
  reference: string;
  fields: readonly {
    name: string;
    labels: readonly { name: string; value: string }[];
    raw: string;
    normalised: string;
  }[];
}

function OtherValues({ reference, fields }: OtherValuesProps) {
  const { t, i18n } = useTranslation();
  const shown = fields.filter(({ name }) => comparedFields.has(name));
  if (shown.length === 0) return null;
  return (
    <>
      <Text mt="sm">{t('review.distinct.states', { reference })}</Text>
      <ul>
        {shown.map((field) => (
          <li key={field.name}>
            {labelIn(i18n.language, field)}: {field.normalised || field.raw}
          </li>
        ))}
      </ul>
    </>
  );
}
