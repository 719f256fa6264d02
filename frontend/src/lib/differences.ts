// Fields for which the submitter, the document and the reviewers state different values.

import type { FieldSource, SecondPersonReason } from '../graphql/generated/graphql';

/** One value of a field, as one source asserted it. */
export interface AssertedValue {
  value: string;
  raw: string;
  /** Why a person found that the value cannot be determined. */
  undetermined?: string | null;
  /** The currency that the same source stated with a total. */
  currency: string | null;
  source: FieldSource;
  by: { id: string; name: string } | null;
  at: string | null;
  page: number;
  box: { x: number; y: number; w: number; h: number } | null;
  documentRevision: number;
  confidence: number;
  resolved: boolean;
  /** A language model stated it and no page shows it: it is shown, but not used. */
  suggestion: boolean;
  /** The archived case on which a person confirmed it; its reference is null if you may not read it. */
  learnedFrom?: { reference: string | null } | null;
}

/** What is shown of a value: without who stated it, when and where. */
export type StatedValue = Pick<
  AssertedValue,
  'value' | 'raw' | 'undetermined' | 'currency' | 'source'
>;

export interface FieldDifference {
  field: string;
  pending: SecondPersonReason | null;
  /** The current value first. */
  values: readonly AssertedValue[];
}

/** One line of the list of differences: a field, or an amount with its currency. */
export interface DifferenceLine {
  /** The field whose values the line shows. */
  field: string;
  amount: boolean;
  /** The fields that are confirmed together. */
  names: readonly string[];
  pending: SecondPersonReason | null;
  current: AssertedValue;
  others: readonly AssertedValue[];
  /** The current value is that of a payment order, and the others are of the document. */
  ordered: boolean;
  /** The value that a confirmation asserts; null if there is nothing to confirm. */
  confirmable: AssertedValue | null;
}

/** The fields of a payment order whose values are compared with the document. */
const orderedFields = new Set(['total', 'currency', 'vendor', 'iban', 'country']);

/** Sources of values of the document, the one whose value is used first. */
const documentSources: readonly FieldSource[] = [
  'HUMAN',
  'EXTERNAL',
  'XML',
  'TEXT',
  'OCR',
  'LLM',
  'DECLARED',
];

/**
 * The value of the document that can be confirmed beside an order. Only its value against the order
 * is nothing to confirm: grounds explain that.
 */
function confirmableBesideOrder(
  others: readonly AssertedValue[],
  pending: SecondPersonReason | null,
): AssertedValue | null {
  if (others.length < 2 && pending === null) return null;
  const rank = ({ source }: AssertedValue) => documentSources.indexOf(source);
  return [...others].sort((a, b) => rank(a) - rank(b))[0] ?? null;
}

/**
 * The lines of the differences, the amount first. A currency whose values the amounts already show
 * has no line of its own and is confirmed with the amount. `hasOrder`: the case has a payment order.
 */
export function differenceLines(
  differences: readonly FieldDifference[],
  hasOrder = false,
): DifferenceLine[] {
  const total = differences.find(({ field }) => field === 'total');
  const currency = differences.find(({ field }) => field === 'currency');
  const shown = new Set(total?.values.map((value) => value.currency));
  const joined = total && currency?.values.every(({ value }) => shown.has(value));
  const sorted = [...differences].sort(
    (a, b) => Number(b.field === 'total') - Number(a.field === 'total'),
  );
  return sorted.flatMap((difference): DifferenceLine[] => {
    const [current, ...others] = difference.values;
    if (!current || (joined && difference.field === 'currency')) return [];
    const withCurrency = joined && difference.field === 'total';
    const pending = difference.pending ?? (withCurrency ? (currency?.pending ?? null) : null);
    const ordered =
      hasOrder && current.source === 'DECLARED' && orderedFields.has(difference.field);
    return [
      {
        field: difference.field,
        amount: difference.field === 'total',
        names: withCurrency ? ['total', 'currency'] : [difference.field],
        pending,
        current,
        others,
        ordered,
        confirmable: ordered ? confirmableBesideOrder(others, pending) : current,
      },
    ];
  });
}

/** Sources whose values one reviewer cannot replace alone, the most important first. */
const statements = ['DECLARED', 'XML', 'EXTERNAL', 'HUMAN'] as const satisfies FieldSource[];

export type Statement = (typeof statements)[number];

/**
 * Who stated another value than the one to confirm; null if only the document was read differently.
 */
export function statementOf(line: DifferenceLine): Statement | null {
  const against = [line.current, ...line.others].filter((one) => one !== line.confirmable);
  return statements.find((source) => against.some((one) => one.source === source)) ?? null;
}

/** Why the user cannot confirm the current value; null if they can. */
export type ConfirmObstacle = 'own' | 'nothing' | null;

/** A second person has to confirm a value that waits for one; an unread value cannot be confirmed. */
export function confirmObstacle(
  { confirmable, pending }: DifferenceLine,
  me: string | null,
): ConfirmObstacle {
  if (confirmable === null) return 'nothing';
  const { source, value, by } = confirmable;
  if (source === 'HUMAN' && pending && by?.id === me) return 'own';
  return value === '' && source !== 'HUMAN' ? 'nothing' : null;
}

/** The fields that are confirmed with the given one. */
export function confirmedTogether(
  differences: readonly FieldDifference[],
  field: string,
): readonly string[] {
  const line = differenceLines(differences).find(({ names }) => names.includes(field));
  return line?.names ?? [field];
}
