// What the user typed and could not send, because the review ended elsewhere.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { labelIn } from '../../lib/field-labels';
import { fieldLabel } from '../../lib/labels';
import classes from './review.module.css';
import type { ReadableReview } from './review-facts';
import type { ReviewWorkspaceState } from './use-review';

interface UnsentProps {
  workspace: ReviewWorkspaceState;
  form: ReadableReview['case']['fieldForm'];
}

export function Unsent({ workspace, form }: UnsentProps) {
  const { t, i18n } = useTranslation();
  const { unsent } = workspace.snapshot.context;
  if (!unsent) return null;
  const label = (name: string) => {
    const line = form.find((one) => one.name === name);
    return line ? labelIn(i18n.language, line) : fieldLabel(t, name);
  };
  return (
    <div>
      <Text size="sm" fw={600} mt="xs">
        {t('review.standing.unsent')}
      </Text>
      {unsent.reason !== '' && <blockquote className={classes.quote}>{unsent.reason}</blockquote>}
      {Object.entries(unsent.typed).map(([name, { value }]) => (
        <Text size="sm" key={name}>
          {label(name)}: {value}
        </Text>
      ))}
    </div>
  );
}
