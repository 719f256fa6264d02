// Comparisons of attributes of the submission in conditions: texts and choices, whole numbers and amounts in
// minor units, dates, yes or no. The text of a condition does not say which type an attribute has.

export type AttributeComparison =
  /** A choice, a text or a date; '' is not stated. */
  | { fact: 'attribute'; is: 'equal' | 'different'; name: string; value: string }
  /** Choices or texts, at least one. */
  | { fact: 'attribute'; is: 'oneOf' | 'noneOf'; name: string; values: readonly string[] }
  /** A whole number, or an amount in minor units of the currency of the attribute. */
  | {
      fact: 'attribute';
      is: 'atLeast' | 'below' | 'equalNumber' | 'differentNumber';
      name: string;
      value: number;
    }
  /** A date. One that is not stated is on no day, and before every day only if the condition says so. */
  | { fact: 'attribute'; is: 'from' | 'before' | 'beforeOrUnstated'; name: string; value: string }
  | { fact: 'attribute'; is: 'true' | 'false'; name: string };

const quoted = (text: string) => JSON.stringify(text);

/** The comparison as a part of a condition. */
export function attributeText(one: AttributeComparison): string {
  const operand = `attributes.${one.name}`;
  switch (one.is) {
    case 'equal':
      return `${operand} == ${quoted(one.value)}`;
    case 'different':
      return `${operand} != ${quoted(one.value)}`;
    case 'oneOf':
    case 'noneOf': {
      const listed = `${operand} in [${one.values.map(quoted).join(', ')}]`;
      return one.is === 'noneOf' ? `!(${listed})` : listed;
    }
    case 'atLeast':
      return `${operand} >= ${one.value}`;
    case 'below':
      return `${operand} < ${one.value}`;
    case 'equalNumber':
      return `${operand} == ${one.value}`;
    case 'differentNumber':
      return `${operand} != ${one.value}`;
    case 'from':
      return `${operand} >= ${quoted(one.value)}`;
    case 'before':
      return `(${operand} != "" && ${operand} < ${quoted(one.value)})`;
    case 'beforeOrUnstated':
      return `${operand} < ${quoted(one.value)}`;
    case 'true':
      return operand;
    default:
      return `!${operand}`;
  }
}

const name = String.raw`attributes\.([a-z]\w*)`;
const day = String.raw`"(\d{4}-\d\d-\d\d)"`;
const textPattern = new RegExp(String.raw`^${name} (==|!=) ("(?:[^"\\]|\\.)*")$`);
const numberPattern = new RegExp(`^${name} (>=|<=|>|<|==|!=) (-?\\d+)$`);
const dayPattern = new RegExp(`^${name} (>=|<) ${day}$`);
const beforePattern = new RegExp(`^\\( ?${name} != "" && ${name} < ${day} ?\\)$`);
const text = String.raw`"(?:[^"\\]|\\.)*"`;
const listPattern = new RegExp(
  String.raw`^(! ?\( ?)?${name} in \[ ?(${text}(?: ?, ?${text})*) ?\]( ?\))?$`,
);
const truthPattern = new RegExp(`^(! ?)?${name}$`);

/** The comparison of a part of a condition; null if it is none of an attribute that a form can express. */
export function attributeComparisonOf(part: string): AttributeComparison | null {
  const fact = 'attribute';
  const truth = truthPattern.exec(part);
  if (truth) return { fact, is: truth[1] ? 'false' : 'true', name: truth[2] ?? '' };
  const number = numberPattern.exec(part);
  if (number) return numberComparison(number[1] ?? '', number[2] ?? '', Number(number[3]));
  const date = dayPattern.exec(part);
  if (date) {
    const is = date[2] === '<' ? 'beforeOrUnstated' : 'from';
    return { fact, is, name: date[1] ?? '', value: date[3] ?? '' };
  }
  const before = beforePattern.exec(part);
  if (before)
    return before[1] === before[2]
      ? { fact, is: 'before', name: before[1] ?? '', value: before[3] ?? '' }
      : null;
  const list = listPattern.exec(part);
  if (list) return listComparison(list[2] ?? '', list[3] ?? '', Boolean(list[1]), Boolean(list[4]));
  const compared = textPattern.exec(part);
  if (!compared) return null;
  try {
    const value = JSON.parse(compared[3] ?? '') as string;
    return {
      fact,
      is: compared[2] === '==' ? 'equal' : 'different',
      name: compared[1] ?? '',
      value,
    };
  } catch {
    return null; // an escape that JSON does not know
  }
}

/** null if the brackets do not match, for an escape that JSON does not know, or for a value twice. */
function listComparison(
  name: string,
  list: string,
  not: boolean,
  closed: boolean,
): AttributeComparison | null {
  if (not !== closed) return null;
  try {
    const values = JSON.parse(`[${list}]`) as string[];
    if (new Set(values).size !== values.length) return null;
    return { fact: 'attribute', is: not ? 'noneOf' : 'oneOf', name, values };
  } catch {
    return null;
  }
}

function numberComparison(name: string, sign: string, value: number): AttributeComparison | null {
  const fact = 'attribute';
  const bound = sign === '>' || sign === '<=' ? value + 1 : value;
  if (!Number.isSafeInteger(value) || !Number.isSafeInteger(bound)) return null;
  if (sign === '==') return { fact, is: 'equalNumber', name, value };
  if (sign === '!=') return { fact, is: 'differentNumber', name, value };
  return { fact, is: sign.startsWith('>') ? 'atLeast' : 'below', name, value: bound };
}
