// The labels of the fields of a document type, which its definition gives in both languages.
import type { i18n as Messages, TFunction } from 'i18next';

interface Labelled {
  name: string;
  labels: readonly { name: string; value: string }[];
}

/** The label of a line of a form, in the language; its name if the type gives none. */
export function labelIn(language: string, line: Labelled): string {
  return line.labels.find((label) => label.name === language)?.value ?? line.name;
}

interface Choosable {
  type: string;
  options: readonly { value: string; labels: readonly { name: string; value: string }[] }[];
}

/** The values of a choice, or of yes and no, with their labels; empty for other types. */
export function choicesOf(
  t: TFunction<'translation'>,
  language: string,
  line: Choosable,
): { value: string; label: string }[] {
  if (line.type === 'BOOLEAN')
    return [
      { value: 'true', label: t('caseLabels.yes') },
      { value: 'false', label: t('caseLabels.no') },
    ];
  return line.options.map(({ value, labels }) => ({
    value,
    label: labels.find((label) => label.name === language)?.value ?? value,
  }));
}

/** The value as people read it: the label of a choice, otherwise the value. */
export function choiceLabel(
  t: TFunction<'translation'>,
  language: string,
  line: Choosable,
  value: string,
): string {
  return choicesOf(t, language, line).find((choice) => choice.value === value)?.label ?? value;
}

/**
 * Adds the labels of a form's own fields to the messages, so that sentences about them, in the
 * history and in the log, name them as the form does. Built-in fields have their labels already.
 */
export function addFieldLabels(i18n: Messages, form: readonly Labelled[]): void {
  for (const line of form) {
    if (i18n.exists(`fields.${line.name}`) && !added.has(line.name)) continue;
    added.add(line.name);
    for (const { name: language, value } of line.labels)
      i18n.addResource(language, 'translation', `fields.${line.name}`, value, { silent: true });
  }
}

/** The names whose labels were added, not built in. */
const added = new Set<string>();
