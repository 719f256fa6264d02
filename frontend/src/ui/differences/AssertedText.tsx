// One asserted value: what it is, who stated it and when.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AssertedValue, StatedValue } from '../../lib/differences';
import { dateTimeText } from '../../lib/format';
import { groupedAmount } from '../../lib/money';
import { valueText } from '../../lib/value-text';

const moneyFields = new Set(['total', 'net', 'tax']);

/** The value as text; `currency` is used for an amount whose source stated none. */
export function AssertedText({
  field,
  asserted,
  currency,
}: {
  field: string;
  asserted: StatedValue;
  currency: string | null;
}) {
  const { t, i18n } = useTranslation();
  if (asserted.value === '') {
    const text = asserted.undetermined
      ? t('differences.undetermined', { reason: asserted.undetermined })
      : asserted.source === 'HUMAN'
        ? t('differences.removed')
        : t('differences.unreadable', { raw: asserted.raw });
    return <Text span>{text}</Text>;
  }
  if (moneyFields.has(field)) {
    return (
      <span className="cs-numbers">
        {groupedAmount(asserted.value, i18n.language)} {asserted.currency ?? currency ?? ''}
      </span>
    );
  }
  return <span>{valueText(field, asserted.value, i18n.language)}</span>;
}

/** "declared (Sam, Nov 23, 2026, 09:14)", "document (as confirmed on CS-2026-000031)" */
export function Origin({ asserted }: { asserted: AssertedValue }) {
  const { t, i18n } = useTranslation();
  const { learnedFrom } = asserted;
  const learned = learnedFrom?.reference
    ? t('differences.learnedFrom', { reference: learnedFrom.reference })
    : learnedFrom && t('differences.learned');
  const details = [
    learned ?? '',
    asserted.by?.name ?? '',
    asserted.at ? dateTimeText(asserted.at, i18n.language) : '',
  ].filter((part) => part !== '');
  const source = asserted.suggestion
    ? t('differences.suggestion')
    : t(`differences.source.${asserted.source}`);
  return (
    <span>
      {details.length > 0 ? `${source} (${details.join(t('caseLabels.next.comma'))})` : source}
    </span>
  );
}
