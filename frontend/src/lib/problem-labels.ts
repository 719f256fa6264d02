// Problems of a definition's text, in the user's language.
import type { TFunction } from 'i18next';

/** A problem or warning of a check, as the server reports it. */
export interface ReportedProblem {
  /** The stable name of the check. */
  rule: string;
  message: string;
  /** The values of the message. */
  values: readonly { name: string; value: string }[];
}

/**
 * The page's message for the check with its values; otherwise the server's, with a capital letter.
 */
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
