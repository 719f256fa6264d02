// Attributes of a submission: what a process asks its submitters, and what they stated.
import { groupedAmount, isPlainAmount } from './money';

interface Labelled {
  labels: readonly { name: string; value: string }[];
}

/** An attribute as the process declares it. */
export interface DeclaredAttribute extends Labelled {
  name: string;
  type: 'CHOICE' | 'TEXT' | 'INTEGER' | 'DATE' | 'MONEY' | 'YES_NO';
  required: boolean;
  choices: readonly ({ key: string } & Labelled)[];
  maxLength: number | null;
  currency: string | null;
}

/** What a submitter stated. */
export interface StatedAttribute extends Labelled {
  name: string;
  type: DeclaredAttribute['type'];
  value: string;
  currency: string | null;
  valueLabels: readonly { name: string; value: string }[];
}

/** The label in the language, otherwise in English, otherwise the name. */
export const attributeLabel = (
  labels: Labelled['labels'],
  language: string,
  name: string,
): string => {
  const of = (wanted: string) => labels.find((label) => label.name === wanted)?.value;
  return of(language) || of('en') || name;
};

/** The stated value in words; yes and no are translated by the caller. */
export function statedText(stated: StatedAttribute, language: string): string {
  if (stated.type === 'CHOICE') return attributeLabel(stated.valueLabels, language, stated.value);
  if (stated.type === 'MONEY')
    return `${groupedAmount(stated.value, language)} ${stated.currency ?? ''}`.trim();
  return stated.value;
}

/** What is wrong with the value of an attribute; null if it can be sent. */
export function attributeFault(
  declared: DeclaredAttribute,
  value: string,
): 'missing' | 'integer' | 'money' | 'long' | null {
  const text = value.trim();
  if (text === '') return declared.required ? 'missing' : null;
  if (declared.type === 'INTEGER' && !/^[+-]?\d{1,18}$/.test(text)) return 'integer';
  if (declared.type === 'MONEY' && !isPlainAmount(text)) return 'money';
  if (declared.maxLength !== null && [...text].length > declared.maxLength) return 'long';
  return null;
}

/** The values that can be sent: those of declared attributes that are not empty. */
export const statedInput = (
  declared: readonly DeclaredAttribute[],
  values: Readonly<Record<string, string>>,
): { name: string; value: string }[] =>
  declared.flatMap(({ name }) => {
    const value = values[name]?.trim() ?? '';
    return value === '' ? [] : [{ name, value }];
  });
