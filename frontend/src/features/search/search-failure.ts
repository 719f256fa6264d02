// Why a search was not executed. A query beyond the bounds is the user's to change; retrying it changes nothing.
import { useTranslation } from 'react-i18next';
import type { CombinedError } from 'urql';
import { failureMessage } from '../../lib/labels';
import { failureOf } from '../../lib/refusals';

export interface SearchFailure {
  message: string;
  hint: string;
  /** Whether the query itself was refused. */
  refused: boolean;
}

export function useSearchFailure(error: CombinedError | undefined): SearchFailure | null {
  const { t, i18n } = useTranslation();
  if (!error) return null;
  const failure = failureOf(error);
  if (failure.code !== 'InvalidInput')
    return { ...failureMessage(t, i18n.language, failure), refused: false };
  const english = i18n.language === 'en';
  return {
    message: english ? failure.message : t('search.bounds'),
    hint: english && failure.remedy ? failure.remedy : t('search.fewer'),
    refused: true,
  };
}
