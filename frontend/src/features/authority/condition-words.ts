// A condition of the policy in words. A condition that is not a chain of simple comparisons is shown as
// its text.
import type { TFunction } from 'i18next';

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

export function conditionWords(t: TFunction<'translation'>, condition: string): string {
  const anded = condition.includes('&&');
  if (anded && condition.includes('||')) return condition;
  const sentences = condition
    .split(anded ? '&&' : '||')
    .map((part) => comparisonWords(t, part.trim()));
  if (sentences.some((one) => one === null)) return condition;
  return sentences.join(t(anded ? 'authority.matrix.and' : 'authority.matrix.or'));
}

function comparisonWords(t: TFunction<'translation'>, text: string): string | null {
  const [, name, relation, value] = comparison.exec(text) ?? [];
  if (!name || !relation || !value) return null;
  return t(`authority.matrix.is.${relations[relation.trim() as keyof typeof relations]}`, {
    name: t(`authority.matrix.name.${name as (typeof names)[number]}`),
    value: valueWords(t, value),
  });
}

function valueWords(t: TFunction<'translation'>, value: string): string {
  if (value === 'user.queues') return t('authority.matrix.ownQueues');
  if (value === 'user.id') return t('authority.matrix.themselves');
  return value.replace(/^\[|\]$/g, '').replace(/"/g, '');
}
