// Which words occur in no case, and what was searched instead.
import { useTranslation } from 'react-i18next';

interface Correction {
  word: string;
  replacements: readonly string[];
}

export function Corrections({ corrections }: { corrections: readonly Correction[] }) {
  const { t } = useTranslation();
  return corrections.map(({ word, replacements }) => (
    <div key={word}>
      {t('search.corrected', { word, replacements: replacements.join(t('search.or')) })}
    </div>
  ));
}
