// The attributes of a submission in the text of a process.
import type { DeclaredAttribute } from '../../../lib/attributes';
import { type Design, isRecord, listOf, readDesign, textOf, titleOf } from './design';

export const attributeTypes = ['choice', 'text', 'integer', 'date', 'money', 'yes_no'] as const;

export interface AttributeDraft {
  name: string;
  type: string;
  required: boolean;
  label: unknown;
  /** One line for each choice: key, English, Chinese. */
  choices: string;
  currency: string;
  /** Null for the usual one. */
  maxLength: number | null;
  pattern: string;
}

export function attributesOf({ header }: Pick<Design, 'header'>): AttributeDraft[] {
  return listOf(header.attributes)
    .filter(isRecord)
    .map((one) => ({
      name: textOf(one.name),
      type: textOf(one.type),
      required: one.required === true,
      label: one.label,
      choices: listOf(one.choices).map(choiceLine).join('\n'),
      currency: textOf(one.currency),
      maxLength: typeof one.max_length === 'number' ? one.max_length : null,
      pattern: textOf(one.pattern),
    }));
}

const choiceLine = (choice: unknown): string => {
  if (!isRecord(choice)) return textOf(choice);
  const labels = [titleOf(choice.label, 'en'), titleOf(choice.label, 'zh')];
  return [textOf(choice.key), ...labels].join(', ');
};

/** The choices of the lines as the text of a process has them. */
export function choicesOf(lines: string): unknown[] {
  return lines
    .split('\n')
    .map((line) => line.split(/[,，]/).map((part) => part.trim()))
    .filter(([key]) => key !== '')
    .map(([key, en, zh]) =>
      en || zh ? { key, label: { ...(en && { en }), ...(zh && { zh }) } } : key,
    );
}

/**
 * The attributes that a branch can compare. One that has no value if it is not stated must be required, because a
 * condition about it would fail.
 */
export const comparableAttributes = (design: Design): DeclaredAttribute[] =>
  declaredAttributes(design).filter(
    ({ name, type, required }) =>
      name !== '' && (required || ['CHOICE', 'TEXT', 'DATE'].includes(type)),
  );

/** A new attribute whose name is not used yet. */
export function newAttribute(design: Design): Record<string, unknown> {
  const names = new Set(attributesOf(design).map(({ name }) => name));
  let name = 'attribute';
  for (let n = 2; names.has(name); n++) name = `attribute_${n}`;
  return { name, type: 'text', required: true };
}

const labelsOf = (label: unknown) =>
  (['en', 'zh'] as const)
    .map((name) => ({ name, value: titleOf(label, name) }))
    .filter(({ value }) => value !== '');

/** The attributes that the text declares, as a form for them needs them. */
export function declaredIn(text: string): DeclaredAttribute[] {
  const read = readDesign(text);
  return 'problem' in read ? [] : declaredAttributes(read.design);
}

/** The attributes of the process as its submitters see them. */
export function declaredAttributes(design: Pick<Design, 'header'>): DeclaredAttribute[] {
  return attributesOf(design).map((one) => ({
    name: one.name,
    type: one.type.toUpperCase() as DeclaredAttribute['type'],
    required: one.required,
    labels: labelsOf(one.label),
    choices: choicesOf(one.choices).map((choice) =>
      isRecord(choice)
        ? { key: textOf(choice.key), labels: labelsOf(choice.label) }
        : { key: String(choice), labels: [] },
    ),
    maxLength: one.maxLength,
    currency: one.currency || null,
  }));
}
