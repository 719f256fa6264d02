// The counterparty of a case in lists and heads. One that was read with low certainty has a mark, so that it is not
// taken for sure, and lists show the name of its file too.
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';

/** What a row is called: the counterparty, or the file if it is unknown. */
export const rowName = (name: string, fileName: string | undefined): string =>
  name || fileName || '';

/** The mark of a counterparty that was read with low certainty; nothing for a certain or an unknown one. */
export function UncertainMark({ of }: { of: Named | null | undefined }) {
  const { t } = useTranslation();
  if (!isUncertain(of)) return null;
  return (
    <span className="cs-uncertain" title={t('caseLabels.uncertain')}>
      <span aria-hidden="true">?</span>
      <span className="cs-visually-hidden"> ({t('caseLabels.uncertain')})</span>
    </span>
  );
}

/** The name of the file below an uncertain counterparty. */
export function UncertainFile({ of, fileName }: { of: Named; fileName: string | undefined }) {
  if (!isUncertain(of) || !fileName) return null;
  return (
    <div className="cs-secondary cs-lines2" title={fileName}>
      {fileName}
    </div>
  );
}

interface Named {
  counterparty: string;
  counterpartyUncertain: boolean;
}

const isUncertain = (of: Named | null | undefined): of is Named =>
  of?.counterpartyUncertain === true && of.counterparty !== '';

/** The counterparty in one text, with the mark of an uncertain one; empty if it is unknown. */
export function counterpartyText(
  t: TFunction<'translation'>,
  of: Named | null | undefined,
): string {
  const name = of?.counterparty ?? '';
  return isUncertain(of) ? `${name} (${t('caseLabels.uncertain')})` : name;
}
