// Guards that a form can express: comparisons of facts, all of which or one of which must hold. Any
// other guard stays text, and its text is never rewritten.

/** The facts that a form compares, by what they are compared with. */
export const amountFacts = ['amount'] as const;
export const numberFacts = ['risk'] as const;
export const textFacts = ['country', 'currency', 'document_type', 'channel', 'field'] as const;
export const ruleFacts = ['finding'] as const;
/** Facts that there are some or none of. */
export const countFacts = ['missing', 'unsure_fields', 'unstated', 'blocking', 'warnings'] as const;

export type AmountFact = (typeof amountFacts)[number];
export type NumberFact = (typeof numberFacts)[number];
export type TextFact = (typeof textFacts)[number];
export type RuleFact = (typeof ruleFacts)[number];
export type CountFact = (typeof countFacts)[number];

export type Comparison =
  /** An unknown amount is at least any bound, and below none. In minor units of the base currency. */
  | { fact: AmountFact; is: 'atLeast' | 'below'; value: number }
  | { fact: NumberFact; is: 'atLeast' | 'below'; value: number }
  /** `name` is the name of the field; '' for other facts. */
  | { fact: TextFact; is: 'equal' | 'different'; name: string; value: string }
  | { fact: RuleFact; is: 'present' | 'absent'; value: string }
  | { fact: CountFact; is: 'some' | 'none' };

export interface Guard {
  join: 'and' | 'or';
  comparisons: readonly Comparison[];
}

/** The guard as a condition of a process definition. */
export function guardText({ join, comparisons }: Guard): string {
  return comparisons.map(comparisonText).join(join === 'and' ? ' && ' : ' || ');
}

function comparisonText(one: Comparison): string {
  switch (one.fact) {
    case 'amount':
      return one.is === 'atLeast'
        ? `(!amount_known || base_minor >= ${one.value})`
        : `(amount_known && base_minor < ${one.value})`;
    case 'risk':
      return `risk ${one.is === 'atLeast' ? '>=' : '<'} ${one.value}`;
    case 'finding':
      return `${one.is === 'absent' ? '!' : ''}findings.exists(f, f.rule == ${quoted(one.value)})`;
    case 'missing':
    case 'unsure_fields':
    case 'unstated':
      return `size(${one.fact}) ${one.is === 'some' ? '> 0' : '== 0'}`;
    case 'blocking':
    case 'warnings':
      return `${one.fact} ${one.is === 'some' ? '> 0' : '== 0'}`;
    default:
      return `${operand(one)} ${one.is === 'equal' ? '==' : '!='} ${quoted(one.value)}`;
  }
}

/** A field that the document does not have is empty. */
function operand({ fact, name }: { fact: TextFact; name: string }): string {
  if (fact !== 'field') return fact;
  return `(${quoted(name)} in fields ? fields[${quoted(name)}] : "")`;
}

const quoted = (text: string) => JSON.stringify(text);

/** The guard of the text; null if a form cannot express it. */
export function guardOf(text: string): Guard | null {
  const whole = text.trim();
  if (whole === '') return null;
  const [anded, ored] = [parts(whole, '&&'), parts(whole, '||')];
  if (anded === null || ored === null || (anded.length > 1 && ored.length > 1)) return null;
  const join = ored.length > 1 ? 'or' : 'and';
  const comparisons = (join === 'or' ? ored : withKnownAmount(anded)).map(comparisonOf);
  return comparisons.every((one) => one !== null) ? { join, comparisons } : null;
}

/** `amount_known && base_minor < N` without brackets is one comparison. */
function withKnownAmount(operands: readonly string[]): string[] {
  const found: string[] = [];
  for (const operand of operands) {
    if (found.at(-1) === 'amount_known' && /^base_minor < \d+$/.test(operand))
      found.splice(-1, 1, `(amount_known && ${operand})`);
    else found.push(operand);
  }
  return found;
}

const string = String.raw`"((?:[^"\\]|\\.)*)"`;

const patterns: [RegExp, (...found: string[]) => Comparison | null][] = [
  [/^\( ?! ?amount_known \|\| base_minor >= (\d+) ?\)$/, (value) => amount('atLeast', value)],
  [/^\( ?amount_known && base_minor < (\d+) ?\)$/, (value) => amount('below', value)],
  [/^risk (>=|<) (\d+)$/, (sign, value) => risk(sign === '<' ? 'below' : 'atLeast', Number(value))],
  [
    /^risk (>|<=) (\d+)$/,
    (sign, value) => risk(sign === '>' ? 'atLeast' : 'below', Number(value) + 1),
  ],
  [
    new RegExp(String.raw`^(!?)findings\.exists\( ?f, ?f\.rule == ${string} ?\)$`),
    (not, rule) =>
      withText(rule, (value) => ({ fact: 'finding', is: not ? 'absent' : 'present', value })),
  ],
  [
    /^size\((missing|unsure_fields|unstated)\) (> 0|== 0)$/,
    (fact, sign) => ({ fact: fact as CountFact, is: sign === '> 0' ? 'some' : 'none' }),
  ],
  [
    /^(blocking|warnings) (> 0|== 0)$/,
    (fact, sign) => ({ fact: fact as CountFact, is: sign === '> 0' ? 'some' : 'none' }),
  ],
  [
    new RegExp(`^(country|currency|document_type|channel) (==|!=) ${string}$`),
    (fact, sign, text) =>
      withText(text, (value) => ({
        fact: fact as TextFact,
        is: sign === '==' ? 'equal' : 'different',
        name: '',
        value,
      })),
  ],
  [
    new RegExp(
      String.raw`^\( ?${string} in fields \? fields\[${string}\] : "" ?\) (==|!=) ${string}$`,
    ),
    (name, again, sign, text) =>
      name !== again
        ? null
        : withText(name, (field) =>
            withText(text, (value) => ({
              fact: 'field',
              is: sign === '==' ? 'equal' : 'different',
              name: field,
              value,
            })),
          ),
  ],
];

function amount(is: 'atLeast' | 'below', value: string | undefined): Comparison | null {
  const minor = Number(value);
  return Number.isSafeInteger(minor) ? { fact: 'amount', is, value: minor } : null;
}

const risk = (is: 'atLeast' | 'below', value: number): Comparison => ({ fact: 'risk', is, value });

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

function comparisonOf(text: string): Comparison | null {
  const spaced = spacesOutsideStrings(text);
  for (const [pattern, comparison] of patterns) {
    const found = pattern.exec(spaced);
    if (found) return comparison(...found.slice(1));
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
