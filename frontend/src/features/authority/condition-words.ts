// A condition of the policy in words. A condition that is not a chain of simple comparisons is shown as
// its text.
import type { TFunction } from 'i18next';
import { operandsOf } from '../../lib/guard';
import { amountWords, joinedWords } from '../../lib/guard-words';

const names = [
  'queue',
  'level',
  'document_type',
  'country',
  'base_minor',
  'amount_known',
  'submitter',
  'status',
] as const;
const relations = {
  '==': 'equal',
  '!=': 'different',
  '<': 'below',
  '<=': 'atMost',
  '>': 'above',
  '>=': 'atLeast',
  in: 'oneOf',
} as const;

const literal = String.raw`"[^"\\]*"|-?\d+|true|false`;
const comparison = new RegExp(
  String.raw`^review\.(${names.join('|')}) ?(==|!=|<=?|>=?| in) ?(${literal}|user\.id|user\.queues|\[(?:${literal})(?:, ?(?:${literal}))*\])$`,
);

export function conditionWords(
  t: TFunction<'translation'>,
  language: string,
  condition: string,
): string {
  const joined = operandsOf(condition);
  const sentences = joined?.operands.map((part) => comparisonWords(t, language, part)) ?? [];
  if (!joined || sentences.some((one) => one === null)) return condition;
  return joinedWords(
    t,
    joined.join,
    sentences.filter((one) => one !== null),
  );
}

function comparisonWords(
  t: TFunction<'translation'>,
  language: string,
  text: string,
): string | null {
  const [, name, relation, value] = comparison.exec(text) ?? [];
  if (!name || !relation || !value) return null;
  const isAmount = name === 'base_minor' && /^-?\d+$/.test(value);
  return t(`authority.matrix.is.${relations[relation.trim() as keyof typeof relations]}`, {
    name: t(`authority.matrix.name.${name as (typeof names)[number]}`),
    value: isAmount ? amountWords(language, Number(value)) : valueWords(t, value),
  });
}

function valueWords(t: TFunction<'translation'>, value: string): string {
  if (value === 'user.queues') return t('authority.matrix.ownQueues');
  if (value === 'user.id') return t('authority.matrix.themselves');
  return value.replace(/^\[|\]$/g, '').replace(/"/g, '');
}
