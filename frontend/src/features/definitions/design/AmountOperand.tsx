// The amount with which a condition compares the amount at risk or the amount of the document.
import { NumberInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Comparison } from '../../../lib/guard';
import { digitsOf } from '../../../lib/minor-units';
import { MoneyField } from './Field';

interface AmountProps {
  comparison: Extract<Comparison, { fact: 'amount' | 'document_amount' }>;
  currency: string | null;
  onChange: (next: Comparison) => void;
}

/** An amount in its currency. One in any currency is a number of the smallest units, as the condition has it. */
export function AmountOperand({ comparison, currency, onChange }: AmountProps) {
  const { t } = useTranslation();
  if (currency !== null && digitsOf(currency) !== null)
    return (
      <MoneyField
        key={currency}
        label={t('design.guard.amount', { currency })}
        currency={currency}
        value={comparison.value}
        onChange={(value) => onChange({ ...comparison, value: Number(value ?? 0) })}
      />
    );
  return (
    <NumberInput
      size="xs"
      label={t('design.guard.smallest')}
      description={t('design.guard.currencyNeeded')}
      value={comparison.value}
      min={0}
      allowDecimal={false}
      onChange={(value) =>
        Number.isSafeInteger(value) && onChange({ ...comparison, value: Number(value) })
      }
    />
  );
}
