// The keys for values: go to the different ones, confirm a field, and open its history.
import { useTranslation } from 'react-i18next';
import { confirmedTogether } from '../../lib/differences';
import type { PageKey } from '../../ui/KeyHelp';
import type { ReadableReview } from './review-facts';
import { focusedField } from './use-page-words';
import type { ReviewWorkspaceState } from './use-review';

interface ValueKeysInput {
  review: ReadableReview;
  workspace: ReviewWorkspaceState;
  highlighted: string | null;
  onHistory: (field: string) => void;
}

export function useValueKeys({ review, workspace, highlighted, onHistory }: ValueKeysInput) {
  const { t } = useTranslation();
  const { differences, fieldForm } = review.case;
  const confirm = (field: string) => workspace.confirmValues(confirmedTogether(differences, field));
  /** Only a doubtful value or one of several needs a confirmation. */
  const needsConfirmation = (field: string) =>
    differences.some((one) => one.field === field) ||
    fieldForm.some(({ name, doubts }) => name === field && doubts.includes('LOW_CONFIDENCE'));
  const openHistory = () => {
    const field = focusedField() ?? highlighted;
    if (field) onHistory(field);
  };
  const keys: PageKey[] = [
    {
      keys: 'v',
      label: t('differences.keys.go'),
      run: () => document.querySelector<HTMLElement>('[data-confirm]')?.focus(),
    },
    { keys: 'F2', always: true, label: t('differences.keys.history'), run: openHistory },
  ];
  return { confirm, needsConfirmation, keys };
}
