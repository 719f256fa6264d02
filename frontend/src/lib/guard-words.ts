// A condition in words.
import type { TFunction } from 'i18next';
import {
  type Comparison,
  comparesText,
  type Guard,
  guardOf,
  processVocabulary,
  type Vocabulary,
} from './guard';
import { factLabel } from './labels';
import { amountText } from './minor-units';
import { baseCurrency, groupedAmount } from './money';

/** The name of a fact that a guard compares. */
export const factName = (t: TFunction<'translation'>, fact: string): string =>
  t(`guard.fact.${fact}` as 'guard.fact.risk', { defaultValue: factLabel(t, fact) });

/** What a fact is compared with: its name if it has one, otherwise the text. */
export const valueName = (t: TFunction<'translation'>, value: string): string =>
  t(`guard.value.${value}` as 'guard.value.high', { defaultValue: value });

/** The guard in words; its text if a form cannot express it. */
export function guardWords(
  t: TFunction<'translation'>,
  language: string,
  text: string,
  vocabulary: Vocabulary = processVocabulary,
): string {
  const guard = guardOf(text, vocabulary);
  if (!guard) return text;
  return joinedWords(
    t,
    guard.join,
    guard.comparisons.map((one) => comparisonWords(t, language, one)),
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

function comparisonWords(t: TFunction<'translation'>, language: string, one: Comparison): string {
  const empty = comparesText(one) && one.value === '';
  return t('guard.words', {
    fact: one.fact === 'field' || one.fact === 'attribute' ? one.name : factName(t, one.fact),
    relation: t(`guard.is.${empty ? (one.is === 'equal' ? 'empty' : 'filled') : one.is}`),
    value: valueWords(t, language, one),
  }).trim();
}

function valueWords(t: TFunction<'translation'>, language: string, one: Comparison): string {
  if (!('value' in one)) return '';
  if (one.fact === 'amount') return amountWords(language, one.value);
  return one.fact === 'field' || one.fact === 'attribute'
    ? one.value
    : valueName(t, String(one.value));
}
