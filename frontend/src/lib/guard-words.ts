// A guard in words, for the drawing.
import type { TFunction } from 'i18next';
import { type Comparison, guardOf } from './guard';
import { factLabel } from './labels';
import { amountText } from './minor-units';
import { baseCurrency, groupedAmount } from './money';

/** The name of a fact that a guard compares. */
export const factName = (t: TFunction<'translation'>, fact: Comparison['fact']): string =>
  t(`guard.fact.${fact}` as 'guard.fact.risk', { defaultValue: factLabel(t, fact) });

/** The guard in words; its text if a form cannot express it. */
export function guardWords(t: TFunction<'translation'>, language: string, text: string): string {
  const guard = guardOf(text);
  if (!guard) return text;
  return guard.comparisons
    .map((one) => comparisonWords(t, language, one))
    .reduce((one, other) => t(`guard.joined.${guard.join}`, { one, other }));
}

function comparisonWords(t: TFunction<'translation'>, language: string, one: Comparison): string {
  const fact = one.fact === 'field' ? one.name : factName(t, one.fact);
  return t('guard.words', {
    fact,
    relation: t(`guard.is.${one.is}`),
    value: valueWords(language, one),
  }).trim();
}

function valueWords(language: string, one: Comparison): string {
  if (!('value' in one)) return '';
  return one.fact === 'amount'
    ? `${groupedAmount(amountText(one.value), language)} ${baseCurrency}`
    : String(one.value);
}
