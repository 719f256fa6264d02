// Conditions of the policy that a form can express: comparisons of the facts that the policy knows, all of
// which or one of which must hold. Any other condition stays text, and its text is never rewritten.
import { operandsOf } from '../../lib/guard';

export const textNames = ['queue', 'document_type', 'country', 'status'] as const;
export const personNames = ['submitter', 'person'] as const;
export const numberNames = ['level', 'base_minor'] as const;
export const listNames = ['roles', 'queues'] as const;
export const names = [
  ...textNames,
  ...numberNames,
  'amount_known',
  ...personNames,
  ...listNames,
] as const;

export type TextName = (typeof textNames)[number];
export type PersonName = (typeof personNames)[number];
export type NumberName = (typeof numberNames)[number];
export type ListName = (typeof listNames)[number];
export type Name = (typeof names)[number];

export type Part =
  | {
      name: TextName | PersonName;
      is: 'equal' | 'different' | 'oneOf' | 'noneOf';
      values: string[];
    }
  /** The queue is one of the person's; the submitter is the person. */
  | { name: 'queue' | 'submitter'; is: 'own' | 'notOwn' }
  | {
      name: NumberName;
      is: 'equal' | 'different' | 'below' | 'atMost' | 'above' | 'atLeast';
      value: number;
    }
  | { name: NumberName; is: 'oneOf' | 'noneOf'; numbers: number[] }
  | { name: 'amount_known'; is: 'true' | 'false' }
  /** The person has the role or works in the queue. */
  | { name: ListName; is: 'has' | 'hasNot'; value: string };

export interface Condition {
  join: 'and' | 'or';
  parts: Part[];
}

/** The relations of a name. */
export function relationsOf(name: Name): readonly Part['is'][] {
  const texts = ['equal', 'different', 'oneOf', 'noneOf'] as const;
  if (name === 'amount_known') return ['true', 'false'];
  if (name === 'roles' || name === 'queues') return ['has', 'hasNot'];
  if (name === 'level' || name === 'base_minor')
    return ['atMost', 'below', 'atLeast', 'above', 'equal', 'different', 'oneOf', 'noneOf'];
  return name === 'queue' || name === 'submitter' ? ['own', 'notOwn', ...texts] : texts;
}

const terms: Record<Name, string> = {
  queue: 'review.queue',
  document_type: 'review.document_type',
  country: 'review.country',
  status: 'review.status',
  level: 'review.level',
  base_minor: 'review.base_minor',
  amount_known: 'review.amount_known',
  submitter: 'review.submitter',
  person: 'user.id',
  roles: 'user.roles',
  queues: 'user.queues',
};
const nameOf = new Map(Object.entries(terms).map(([name, term]) => [term, name as Name]));
const operators = {
  equal: '==',
  different: '!=',
  below: '<',
  atMost: '<=',
  above: '>',
  atLeast: '>=',
} as const;
const relationOf = new Map(
  Object.entries(operators).map(([is, operator]) => [
    operator as string,
    is as keyof typeof operators,
  ]),
);

/** The text of the condition. */
export const conditionText = ({ join, parts }: Condition): string =>
  parts.map(partText).join(join === 'and' ? ' && ' : ' || ');

function partText(part: Part): string {
  const term = terms[part.name];
  switch (part.is) {
    case 'own':
      return part.name === 'queue' ? `${term} in user.queues` : `${term} == user.id`;
    case 'notOwn':
      return part.name === 'queue' ? `!(${term} in user.queues)` : `${term} != user.id`;
    case 'true':
      return term;
    case 'false':
      return `!${term}`;
    case 'has':
      return `${JSON.stringify(part.value)} in ${term}`;
    case 'hasNot':
      return `!(${JSON.stringify(part.value)} in ${term})`;
    case 'oneOf':
    case 'noneOf': {
      const values =
        'numbers' in part
          ? part.numbers.map(String)
          : part.values.map((one) => JSON.stringify(one));
      const text = `${term} in [${values.join(', ')}]`;
      return part.is === 'oneOf' ? text : `!(${text})`;
    }
    default: {
      const value = 'value' in part ? String(part.value) : JSON.stringify(part.values[0] ?? '');
      return `${term} ${operators[part.is]} ${value}`;
    }
  }
}

const literal = String.raw`"(?:[^"\\]|\\["\\/])*"|-?\d{1,15}`;
const membership = new RegExp(
  String.raw`^(!\( ?)?(\w+\.\w+|${literal}) in (\w+\.\w+|\[(?:${literal})(?:, ?(?:${literal}))*\])( ?\))?$`,
);
const comparison = new RegExp(
  String.raw`^(\w+\.\w+) ?(==|!=|<=?|>=?) ?(${literal}|true|false|user\.id)$`,
);

/** The condition that the text means; null if a form cannot express it. */
export function conditionOf(text: string): Condition | null {
  const joined = operandsOf(text);
  if (!joined) return null;
  const parts = joined.operands.map((one) => partOf(one.trim()));
  return parts.every((one) => one !== null) ? { join: joined.join, parts } : null;
}

function partOf(text: string): Part | null {
  const known = /^(!)?review\.amount_known$/.exec(text);
  if (known) return { name: 'amount_known', is: known[1] ? 'false' : 'true' };
  const member = membership.exec(text);
  if (member) {
    const [, opened, left = '', right = '', closed] = member;
    return Boolean(opened) === Boolean(closed) ? memberOf(Boolean(opened), left, right) : null;
  }
  const [, term = '', operator = '', value = ''] = comparison.exec(text) ?? [];
  const name = nameOf.get(term);
  const is = relationOf.get(operator);
  return name && is ? comparedOf(name, is, value) : null;
}

function memberOf(negated: boolean, left: string, right: string): Part | null {
  const list = nameOf.get(right);
  if (left === terms.queue && list === 'queues')
    return { name: 'queue', is: negated ? 'notOwn' : 'own' };
  if ((list === 'roles' || list === 'queues') && left.startsWith('"'))
    return { name: list, is: negated ? 'hasNot' : 'has', value: textOf(left) };
  const name = nameOf.get(left);
  const is = negated ? 'noneOf' : 'oneOf';
  if (!name || !right.startsWith('[')) return null;
  const values = JSON.parse(right) as (string | number)[];
  if (isText(name) && values.every((one) => typeof one === 'string')) return { name, is, values };
  if (isNumber(name) && values.every((one) => typeof one === 'number'))
    return { name, is, numbers: values };
  return null;
}

function comparedOf(name: Name, is: keyof typeof operators, value: string): Part | null {
  const equality = is === 'equal' || is === 'different';
  if (name === 'amount_known')
    return equality && /^(true|false)$/.test(value)
      ? { name, is: (value === 'true') === (is === 'equal') ? 'true' : 'false' }
      : null;
  if (value === 'user.id')
    return name === 'submitter' && equality
      ? { name, is: is === 'equal' ? 'own' : 'notOwn' }
      : null;
  if (isNumber(name)) return /^-?\d+$/.test(value) ? { name, is, value: Number(value) } : null;
  if (!isText(name) || !equality || !value.startsWith('"')) return null;
  return { name, is, values: [textOf(value)] };
}

const isText = (name: Name): name is TextName | PersonName =>
  ([...textNames, ...personNames] as Name[]).includes(name);
const isNumber = (name: Name): name is NumberName =>
  (numberNames as readonly Name[]).includes(name);
const textOf = (quoted: string): string => JSON.parse(quoted) as string;

/** A part of a name as a form begins with it. */
export function newPart(name: Name, is: Part['is'] = relationsOf(name)[0] ?? 'equal'): Part {
  if (name === 'amount_known') return { name, is: is === 'false' ? 'false' : 'true' };
  if (name === 'roles' || name === 'queues')
    return { name, is: is === 'hasNot' ? 'hasNot' : 'has', value: '' };
  if (isNumber(name)) {
    if (is === 'oneOf' || is === 'noneOf') return { name, is, numbers: [] };
    return { name, is: is in operators ? (is as 'equal') : 'atMost', value: Number.NaN };
  }
  if ((name === 'queue' || name === 'submitter') && (is === 'own' || is === 'notOwn'))
    return { name, is };
  return { name: name as TextName, is: is as 'equal', values: [] };
}

/** Whether every value of the part is entered. */
export function isComplete(part: Part): boolean {
  if ('values' in part) return part.values.length > 0 && part.values.every((one) => one !== '');
  if ('numbers' in part) return part.numbers.length > 0 && part.numbers.every(Number.isSafeInteger);
  if (!('value' in part)) return true;
  return typeof part.value === 'number' ? Number.isSafeInteger(part.value) : part.value !== '';
}
