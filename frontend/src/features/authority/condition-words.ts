// A condition of the policy in words. A condition that a form cannot express is shown as its text.
import type { TFunction } from 'i18next';
import { amountWords, joinedWords } from '../../lib/guard-words';
import { documentTypeLabels } from '../../lib/labels';
import { conditionOf, type Part } from './condition-parts';

export function conditionWords(
  t: TFunction<'translation'>,
  language: string,
  text: string,
): string {
  const condition = conditionOf(text);
  if (!condition) return text;
  return joinedWords(
    t,
    condition.join,
    condition.parts.map((part) => partWords(t, language, part)),
  );
}

export function partWords(t: TFunction<'translation'>, language: string, part: Part): string {
  const number = (value: number) =>
    part.name === 'base_minor' ? amountWords(language, value) : String(value);
  const text = (value: string) =>
    part.name === 'document_type' ? documentTypeLabels(t, [value]) : value;
  const values =
    'values' in part
      ? part.values.map(text)
      : 'numbers' in part
        ? part.numbers.map(number)
        : 'value' in part
          ? [typeof part.value === 'number' ? number(part.value) : part.value]
          : [];
  return t(`authority.matrix.is.${part.is}`, {
    name: t(`authority.matrix.name.${part.name}`),
    value: values.join(', '),
    own: t(`authority.matrix.own.${part.name === 'queue' ? 'queue' : 'submitter'}`),
  });
}
