// Conditions that a form can express: comparisons of facts, all of which or one of which must hold. Any
// other condition stays text, and its text is never rewritten.
import { type AttributeComparison, attributeComparisonOf, attributeText } from './guard-attribute';

/** The facts that a form compares, by what they are compared with. */
export const amountFacts = ['amount', 'document_amount'] as const;
export const numberFacts = ['risk', 'date_age', 'due_after', 'vendor_approved'] as const;
export const textFacts = [
  ...['country', 'currency', 'document_type', 'channel', 'field', 'outcome'],
  ...['country_risk', 'iban_fault', 'vat_fault'],
] as const;
/** Texts that can be compared with several values. */
export const listedFacts = ['country', 'currency', 'document_type', 'channel', 'outcome'] as const;
/** A finding of a rule, and a field among the missing values. */
export const findingFacts = ['finding', 'missing_field'] as const;
/** Facts that there are some or none of. */
export const countFacts = [
  ...['missing', 'unsure_fields', 'unstated', 'blocking', 'warnings', 'unreadable', 'differing'],
  ...['same_number', 'same_bytes', 'similar_number', 'same_content', 'similar_image'],
  ...['linked_cases', 'rejected_before', 'not_printed', 'payable_differs', 'tax_rows_differ'],
  ...['submitted_again', 'account_cases'],
] as const;
export const truthFacts = [
  ...['amount_known', 'account_changed', 'account_new', 'currency_assumed', 'kind_mismatch'],
  ...['lines_corrected', 'order_amount_differs', 'order_exceeded', 'has_structured_data'],
] as const;

export type AmountFact = (typeof amountFacts)[number];
export type NumberFact = (typeof numberFacts)[number];
export type TextFact = (typeof textFacts)[number];
export type ListedFact = (typeof listedFacts)[number];
export type FindingFact = (typeof findingFacts)[number];
export type CountFact = (typeof countFacts)[number];
export type TruthFact = (typeof truthFacts)[number];
export type Fact =
  | (AmountFact | NumberFact | TextFact | FindingFact | CountFact | TruthFact)
  | 'attribute';

export type Comparison =
  /**
   * In minor units of the base currency, or of the currency of the document. The vocabulary says what holds for an
   * unknown amount.
   */
  | { fact: AmountFact; is: 'atLeast' | 'below'; value: number }
  /** A number that is not known is neither. */
  | { fact: NumberFact; is: 'atLeast' | 'below'; value: number }
  /** `name` is the name of the field; '' for other facts. */
  | { fact: TextFact; is: 'equal' | 'different'; name: string; value: string }
  /** At least one value. */
  | { fact: ListedFact; is: 'oneOf' | 'noneOf'; values: readonly string[] }
  | { fact: FindingFact; is: 'present' | 'absent'; value: string }
  | { fact: CountFact; is: 'some' | 'none' }
  | { fact: TruthFact; is: 'true' | 'false' }
  | AttributeComparison;

export interface Guard {
  join: 'and' | 'or';
  comparisons: readonly Comparison[];
}

/** The facts that the conditions of one kind of text know. */
export interface Vocabulary {
  facts: readonly Fact[];
  /** An unknown amount is at least every bound, or it is neither at least nor below one. */
  unknownAmount: 'large' | 'neither';
}

/** The facts of guards of a process. */
export const processVocabulary: Vocabulary = {
  facts: [
    ...['amount', 'risk', 'amount_known', 'country', 'currency', 'document_type', 'channel'],
    ...[
      'document_amount',
      'field',
      'attribute',
      'finding',
      'missing_field',
      'missing',
      'unsure_fields',
      'unstated',
    ],
    ...['blocking', 'warnings', 'has_structured_data', 'outcome'],
  ] as Fact[],
  unknownAmount: 'large',
};

/** The facts of rules. Whether the amount is missing is a rule of its own. */
export const ruleVocabulary: Vocabulary = {
  facts: [
    ...['amount', 'currency', 'country', 'country_risk', 'document_type', 'field', 'date_age'],
    ...['due_after', 'vendor_approved', 'iban_fault', 'vat_fault', 'unreadable', 'differing'],
    ...['same_number', 'same_bytes', 'similar_number', 'same_content', 'similar_image'],
    ...['linked_cases', 'rejected_before', 'not_printed', 'payable_differs', 'tax_rows_differ'],
    ...['submitted_again', 'account_cases'],
    ...truthFacts.filter((fact) => fact !== 'has_structured_data'),
  ] as Fact[],
  unknownAmount: 'neither',
};

/** The facts that say whether a number is known. */
const knownBy: Partial<Record<Fact, string>> = {
  date_age: 'date_known',
  due_after: 'due_known',
  vendor_approved: 'vendor_looked',
};

const isOneOf = <T extends string>(all: readonly T[], fact: string): fact is T =>
  (all as readonly string[]).includes(fact);

/** A comparison with a text, except of an attribute. */
export type TextComparison = Extract<Comparison, { fact: TextFact; is: 'equal' | 'different' }>;

/** A comparison with several texts. */
export type ListComparison = Extract<Comparison, { fact: ListedFact; is: 'oneOf' | 'noneOf' }>;

/** Whether the comparison is with a text, which can be empty. */
export const comparesText = (
  one: Comparison,
): one is TextComparison | Extract<AttributeComparison, { is: 'equal' | 'different' }> =>
  one.is === 'equal' || one.is === 'different';

/** The guard as a condition of the text. */
export function guardText({ join, comparisons }: Guard, vocabulary: Vocabulary): string {
  return comparisons
    .map((one) => comparisonText(one, vocabulary))
    .join(join === 'and' ? ' && ' : ' || ');
}

function comparisonText(one: Comparison, { unknownAmount }: Vocabulary): string {
  if (one.fact === 'attribute') return attributeText(one);
  if (isOneOf(amountFacts, one.fact) && (one.is === 'atLeast' || one.is === 'below')) {
    const minor = one.fact === 'amount' ? 'base_minor' : 'amount_minor';
    if (one.is === 'below') return `(amount_known && ${minor} < ${one.value})`;
    return unknownAmount === 'large'
      ? `(!amount_known || ${minor} >= ${one.value})`
      : `(amount_known && ${minor} >= ${one.value})`;
  }
  if (isMembership(one)) return membershipText(one);
  switch (one.is) {
    case 'atLeast':
    case 'below': {
      const compared = `${one.fact} ${one.is === 'atLeast' ? '>=' : '<'} ${one.value}`;
      const known = knownBy[one.fact];
      return known ? `(${known} && ${compared})` : compared;
    }
    case 'some':
    case 'none': {
      const count = isOneOf(['blocking', 'warnings'], one.fact) ? one.fact : `size(${one.fact})`;
      return `${count} ${one.is === 'some' ? '> 0' : '== 0'}`;
    }
    case 'oneOf':
    case 'noneOf': {
      const listed = `${one.fact} in [${one.values.map(quoted).join(', ')}]`;
      return one.is === 'noneOf' ? `!(${listed})` : listed;
    }
    case 'true':
    case 'false':
      return `${one.is === 'false' ? '!' : ''}${one.fact}`;
    default:
      return `${operand(one)} ${one.is === 'equal' ? '==' : '!='} ${quoted(one.value)}`;
  }
}

type Membership = Extract<Comparison, { fact: FindingFact }>;

const isMembership = (one: Comparison): one is Membership => isOneOf(findingFacts, one.fact);

function membershipText({ fact, is, value }: Membership): string {
  if (fact === 'finding')
    return `${is === 'absent' ? '!' : ''}findings.exists(f, f.rule == ${quoted(value)})`;
  const text = `${quoted(value)} in missing`;
  return is === 'absent' ? `!(${text})` : text;
}

/** A field that the document does not have is empty. */
function operand({ fact, name }: { fact: TextFact; name: string }): string {
  if (fact !== 'field') return fact;
  return `(${quoted(name)} in fields ? fields[${quoted(name)}] : "")`;
}

const quoted = (text: string) => JSON.stringify(text);

/** The operands of a condition that joins all of them by && or all by ||; null for any other. */
export function operandsOf(text: string): { join: Guard['join']; operands: string[] } | null {
  const whole = text.trim();
  if (whole === '') return null;
  const [anded, ored] = [parts(whole, '&&'), parts(whole, '||')];
  if (anded === null || ored === null || (anded.length > 1 && ored.length > 1)) return null;
  return ored.length > 1 ? { join: 'or', operands: ored } : { join: 'and', operands: anded };
}

/** The guard of the text; null if a form cannot express it with these facts. */
export function guardOf(text: string, vocabulary: Vocabulary): Guard | null {
  const joined = operandsOf(text);
  if (!joined) return null;
  const { join, operands } = joined;
  const comparisons = (join === 'or' ? operands : withKnown(operands)).map((operand) =>
    comparisonOf(operand, vocabulary),
  );
  return comparisons.every((one) => one !== null) ? { join, comparisons } : null;
}

/** `amount_known && base_minor < N` without brackets is one comparison; so is that of a date. */
function withKnown(operands: readonly string[]): string[] {
  const found: string[] = [];
  for (const operand of operands) {
    const [name] = /^\w+(?= (?:>=|<=?|>|==) -?\d+$)/.exec(operand) ?? [];
    const isAmount = name === 'base_minor' || name === 'amount_minor';
    const known = isAmount ? 'amount_known' : knownBy[name as Fact];
    if (known && found.at(-1) === known) found.splice(-1, 1, `(${known} && ${operand})`);
    else found.push(operand);
  }
  return found;
}

const string = String.raw`"((?:[^"\\]|\\.)*)"`;

const patterns: [RegExp, (...found: string[]) => Comparison | null][] = [
  [
    /^\( ?(?:! ?amount_known \|\||amount_known &&) (base|amount)_minor >= (\d+) ?\)$/,
    (of, value) => amount(of, 'atLeast', value),
  ],
  [
    /^\( ?amount_known && (base|amount)_minor < (\d+) ?\)$/,
    (of, value) => amount(of, 'below', value),
  ],
  [
    /^(?:\( ?(\w+) && )?(\w+) (>=|<=|>|<|==) (-?\d+) ?(\)?)$/,
    (known, fact, sign, value, closed) =>
      isOneOf(numberFacts, fact) && knownBy[fact] === known && Boolean(known) === (closed === ')')
        ? number(fact, sign, Number(value))
        : null,
  ],
  [
    new RegExp(String.raw`^(!?)findings\.exists\( ?f, ?f\.rule == ${string} ?\)$`),
    (not, rule) =>
      withText(rule, (value) => ({ fact: 'finding', is: not ? 'absent' : 'present', value })),
  ],
  [
    new RegExp(String.raw`^(?:${string} in missing|! ?\( ?${string} in missing ?\))$`),
    (field, not) =>
      withText(field ?? not, (value) => ({
        fact: 'missing_field',
        is: field === undefined ? 'absent' : 'present',
        value,
      })),
  ],
  [
    new RegExp(String.raw`^(! ?\( ?)?(\w+) in \[ ?(${string}(?: ?, ?${string})*) ?\]( ?\))?$`),
    (not, fact, list, ...rest) =>
      isOneOf(listedFacts, fact) && Boolean(not) === Boolean(rest.at(-1))
        ? listed(fact, not ? 'noneOf' : 'oneOf', list)
        : null,
  ],
  [
    /^(?:size\((\w+)\)|(blocking|warnings)) (> 0|== 0)$/,
    (list, count, sign) => {
      const fact = list ?? count;
      const sized = list !== undefined && !isOneOf(['blocking', 'warnings'], list);
      if (!isOneOf(countFacts, fact) || sized !== (count === undefined)) return null;
      return { fact, is: sign === '> 0' ? 'some' : 'none' };
    },
  ],
  [
    /^(! ?)?(\w+)$/,
    (not, fact) => (isOneOf(truthFacts, fact) ? { fact, is: not ? 'false' : 'true' } : null),
  ],
  [
    new RegExp(`^(\\w+) (==|!=) ${string}$`),
    (fact, sign, text) =>
      isOneOf(textFacts, fact) && fact !== 'field'
        ? withText(text, (value) => ({ fact, is: equality(sign), name: '', value }))
        : null,
  ],
  [
    new RegExp(
      String.raw`^\( ?${string} in fields \? fields\[${string}\] : "" ?\) (==|!=) ${string}$`,
    ),
    (name, again, sign, text) =>
      name !== again
        ? null
        : withText(name, (field) =>
            withText(text, (value) => ({ fact: 'field', is: equality(sign), name: field, value })),
          ),
  ],
];

const equality = (sign: string) => (sign === '==' ? 'equal' : 'different');

/** The comparison with the values of a list; null for an escape that JSON does not know, or a value twice. */
function listed(
  fact: ListedFact,
  is: ListComparison['is'],
  list: string | undefined,
): Comparison | null {
  try {
    const values = JSON.parse(`[${list ?? ''}]`) as string[];
    return new Set(values).size === values.length ? { fact, is, values } : null;
  } catch {
    return null;
  }
}

function amount(of: string, is: 'atLeast' | 'below', value: string | undefined): Comparison | null {
  const minor = Number(value);
  const fact = of === 'base' ? 'amount' : 'document_amount';
  return Number.isSafeInteger(minor) ? { fact, is, value: minor } : null;
}

/**
 * The currency of the document wherever the whole guard holds; null if the guard does not require one, so that an
 * amount of the document can be in any.
 */
export function currencyOf({ join, comparisons }: Guard): string | null {
  if (join === 'or' && comparisons.length > 1) return null;
  const required = comparisons.flatMap((one) =>
    one.fact === 'currency' && one.is === 'equal' ? [one.value] : [],
  );
  return required.length === 1 ? (required[0] ?? null) : null;
}

function number(fact: NumberFact, sign: string, value: number): Comparison | null {
  // A count is never below 0.
  if (sign === '==' && !(fact === 'vendor_approved' && value === 0)) return null;
  const bound = sign === '>' || sign === '<=' || sign === '==' ? value + 1 : value;
  return { fact, is: sign.startsWith('>') ? 'atLeast' : 'below', value: bound };
}

/** The comparison with the text of a literal; null for an escape that JSON does not know. */
function withText(
  literal: string | undefined,
  comparison: (value: string) => Comparison | null,
): Comparison | null {
  try {
    return comparison(JSON.parse(`"${literal ?? ''}"`) as string);
  } catch {
    return null;
  }
}

function comparisonOf(text: string, { facts, unknownAmount }: Vocabulary): Comparison | null {
  const spaced = spacesOutsideStrings(text);
  if (spaced.includes('attributes.') && facts.includes('attribute')) {
    const one = attributeComparisonOf(spaced);
    if (one) return one;
  }
  for (const [pattern, comparison] of patterns) {
    const found = pattern.exec(spaced);
    const one = found && comparison(...found.slice(1));
    if (!one || !facts.includes(one.fact)) continue;
    const large = spaced.includes('!');
    const isAmount = isOneOf(amountFacts, one.fact);
    if (isAmount && one.is === 'atLeast' && large !== (unknownAmount === 'large')) return null;
    return one;
  }
  return null;
}

/** The text with one space for each run of white space outside of strings. */
function spacesOutsideStrings(text: string): string {
  return text
    .trim()
    .split(/("(?:[^"\\]|\\.)*")/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/\s+/g, ' ')))
    .join('');
}

/** The operands of the operator outside of brackets and strings; null if they do not match. */
function parts(text: string, operator: '&&' | '||'): string[] | null {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (sign === '"') {
      const end = /^"(?:[^"\\]|\\.)*"/.exec(text.slice(at))?.[0].length;
      if (end === undefined) return null;
      at += end - 1;
    } else if (sign === "'") return null;
    else if ('([{'.includes(sign)) depth++;
    else if (')]}'.includes(sign)) depth--;
    else if (depth === 0 && text.startsWith(operator, at)) {
      found.push(text.slice(from, at).trim());
      from = at + 2;
      at++;
    }
  }
  if (depth !== 0) return null;
  return [...found, text.slice(from).trim()];
}
