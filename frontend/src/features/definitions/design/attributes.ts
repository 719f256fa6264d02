// The attributes of a submission in the text of a process.
import type { DeclaredAttribute } from '../../../lib/attributes';
import type { AttributeChoices } from '../../../lib/guard';
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
  maxLength: string;
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
      maxLength: textOf(one.max_length),
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

/** The attributes that a branch can compare with a value: choices, with their keys, and texts. */
export function comparableAttributes(design: Design): AttributeChoices[] {
  return attributesOf(design)
    .filter(({ name, type }) => name !== '' && (type === 'choice' || type === 'text'))
    .map(({ name, type, label, choices }) => ({
      name,
      labels: { en: titleOf(label, 'en'), zh: titleOf(label, 'zh') },
      choices:
        type === 'choice'
          ? choicesOf(choices).map((one) => choiceLine(one).split(', ')[0] ?? '')
          : [],
    }));
}

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
  if ('problem' in read) return [];
  return attributesOf(read.design).map(({ name, type, required, label, choices, currency }) => ({
    name,
    type: type.toUpperCase() as DeclaredAttribute['type'],
    required,
    labels: labelsOf(label),
    choices: choicesOf(choices).map((one) =>
      isRecord(one)
        ? { key: textOf(one.key), labels: labelsOf(one.label) }
        : { key: String(one), labels: [] },
    ),
    maxLength: null,
    currency: currency || null,
  }));
}
