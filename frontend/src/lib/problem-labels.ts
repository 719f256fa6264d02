// What stands against a text, in the reader's language.
import type { TFunction } from 'i18next';

/** One fault or warning of a check, as the server tells it. */
export interface ReportedProblem {
  /** The stable name of the check. */
  rule: string;
  message: string;
  /** What the message names. */
  values: readonly { name: string; value: string }[];
}

/** The page's own sentence for the check, with the values; else the server's, which may begin in small letters. */
export function problemMessage(
  t: TFunction<'translation'>,
  { rule, message, values }: ReportedProblem,
): string {
  const valuesByName = Object.fromEntries(values.map(({ name, value }) => [name, value]));
  const template = t(`problems.${rule}` as 'problems.finding_unknown', {
    defaultValue: '',
    skipInterpolation: true,
  });
  const needed = [...template.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? '');
  if (template !== '' && needed.every((name) => name in valuesByName)) {
    return template.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => valuesByName[name] ?? '');
  }
  return message === '' ? message : `${message[0]?.toUpperCase()}${message.slice(1)}`;
}
