// The counterparty of a case in a list. One that was read with low certainty is shown after the name of the
// file, with a label, so that it is not taken for sure.
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';

interface CounterpartyProps {
  name: string;
  uncertain: boolean;
}

/** What a row is called: the counterparty, or the file if it is unknown or uncertain. */
export function rowName({
  name,
  uncertain,
  fileName,
}: CounterpartyProps & { fileName: string | undefined }): string {
  return (uncertain ? fileName : undefined) || name || fileName || '';
}

/** The uncertain counterparty with its label; nothing for a certain one. */
export function UncertainCounterparty({ name, uncertain }: CounterpartyProps) {
  const { t } = useTranslation();
  if (!uncertain || name === '') return null;
  return (
    <div className="cs-secondary cs-lines2" title={name}>
      {t('caseLabels.uncertainName', { name })}
    </div>
  );
}

/** The counterparty in one text, with the mark of an uncertain one; empty if it is unknown. */
export function counterpartyText(
  t: TFunction<'translation'>,
  of: { counterparty: string; counterpartyUncertain: boolean } | null | undefined,
): string {
  const name = of?.counterparty ?? '';
  return of?.counterpartyUncertain && name !== '' ? t('caseLabels.uncertainName', { name }) : name;
}
