// A condition in words.
import type { TFunction } from 'i18next';
import { attributeLabel, type DeclaredAttribute } from './attributes';
import {
  type Comparison,
  comparesText,
  currencyOf,
  type Guard,
  guardOf,
  processVocabulary,
  type Vocabulary,
} from './guard';
import { factLabel } from './labels';
import { amountText, digitsOf } from './minor-units';
import { baseCurrency, groupedAmount } from './money';

/** The name of a fact that a guard compares. */
export const factName = (t: TFunction<'translation'>, fact: string): string =>
  t(`guard.fact.${fact}` as 'guard.fact.risk', { defaultValue: factLabel(t, fact) });

/** What a fact is compared with: its name if it has one, otherwise the text. */
export const valueName = (t: TFunction<'translation'>, value: string): string =>
  t(`guard.value.${value}` as 'guard.value.high', { defaultValue: value });

/**
 * The guard in words; its text if a form cannot express it, or if it compares a number with an attribute that is
 * not among the declared ones, because the number can be an amount in any currency.
 */
export function guardWords(
  t: TFunction<'translation'>,
  language: string,
  text: string,
  vocabulary: Vocabulary = processVocabulary,
  attributes: readonly DeclaredAttribute[] = [],
): string {
  const guard = guardOf(text, vocabulary);
  const declared = new Map(attributes.map((one) => [one.name, one]));
  const isUnknown = (one: Comparison) =>
    one.fact === 'attribute' &&
    'value' in one &&
    typeof one.value === 'number' &&
    !declared.has(one.name);
  // An amount of the document is in the currency that the condition requires.
  const currency = guard ? digitsOf(currencyOf(guard) ?? '') !== null && currencyOf(guard) : null;
  const isUnclear = (one: Comparison) =>
    isUnknown(one) || (one.fact === 'document_amount' && !currency);
  if (!guard || guard.comparisons.some(isUnclear)) return text;
  return joinedWords(
    t,
    guard.join,
    guard.comparisons.map((one) =>
      comparisonWords(
        t,
        language,
        one,
        one.fact === 'attribute' ? declared.get(one.name) : undefined,
        currency || baseCurrency,
      ),
    ),
  );
}

/** Sentences joined by “and” or “or”. */
export const joinedWords = (
  t: TFunction<'translation'>,
  join: Guard['join'],
  sentences: readonly string[],
): string => sentences.reduce((one, other) => t(`guard.joined.${join}`, { one, other }));

/** An amount in minor units of the base currency, as people write it. */
export const amountWords = (language: string, minor: number): string =>
  `${groupedAmount(amountText(minor), language)} ${baseCurrency}`;

/** The amount in the currency of the attribute. */
export const attributeAmount = (language: string, minor: number, currency: string): string =>
  `${groupedAmount(amountText(minor, digitsOf(currency) ?? 2), language)} ${currency}`;

function comparisonWords(
  t: TFunction<'translation'>,
  language: string,
  one: Comparison,
  attribute: DeclaredAttribute | undefined,
  currency: string,
): string {
  // The name of a fact that is true or false is a sentence.
  if (one.fact !== 'attribute' && one.is === 'true') return factName(t, one.fact);
  if (one.fact !== 'attribute' && one.is === 'false')
    return t('guard.notTrue', { fact: factName(t, one.fact) });
  const empty = comparesText(one) && one.value === '';
  return t('guard.words', {
    fact: subjectOf(t, language, one, attribute),
    relation: t(`guard.is.${empty ? (one.is === 'equal' ? 'empty' : 'filled') : one.is}`),
    value: valueWords(t, language, one, attribute, currency),
  }).trim();
}

function subjectOf(
  t: TFunction<'translation'>,
  language: string,
  one: Comparison,
  attribute: DeclaredAttribute | undefined,
): string {
  if (one.fact === 'attribute') return attributeLabel(attribute?.labels ?? [], language, one.name);
  return one.fact === 'field' ? one.name : factName(t, one.fact);
}

function valueWords(
  t: TFunction<'translation'>,
  language: string,
  one: Comparison,
  attribute: DeclaredAttribute | undefined,
  currency: string,
): string {
  if ('values' in one)
    return new Intl.ListFormat(language, { type: 'disjunction' }).format(
      one.values.map((value) =>
        one.fact === 'attribute' ? choiceName(language, attribute, value) : valueName(t, value),
      ),
    );
  if (!('value' in one)) return '';
  if (one.fact === 'amount') return amountWords(language, one.value);
  if (one.fact === 'document_amount') return attributeAmount(language, one.value, currency);
  if (one.fact === 'attribute' && typeof one.value === 'number')
    return attribute?.currency
      ? attributeAmount(language, one.value, attribute.currency)
      : String(one.value);
  if (one.fact === 'attribute') return choiceName(language, attribute, String(one.value));
  return one.fact === 'field' ? String(one.value) : valueName(t, String(one.value));
}

/** The label of a choice; any other text as it is. */
const choiceName = (
  language: string,
  attribute: DeclaredAttribute | undefined,
  value: string,
): string =>
  attributeLabel(
    attribute?.choices.find(({ key }) => key === value)?.labels ?? [],
    language,
    value,
  );
