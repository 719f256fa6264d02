// The parts of a rule in words, for the form and for the changes of a proposal.
import type { TFunction } from 'i18next';
import type { Severity } from '../../../graphql/generated/graphql';
import { ruleVocabulary } from '../../../lib/guard';
import { guardWords } from '../../../lib/guard-words';
import type { ChangedPart } from '../changed-parts';
import { textOf } from '../design/design';
import { overrideOf } from './changes';
import { type RuleEntry, wordsOf } from './rules';

type Translate = TFunction<'translation'>;

export const severities = ['info', 'warning', 'blocking'] as const;
export const phases = ['validation', 'risk'] as const;
export const overrides = ['none', 'reason', 'second_person', 'queue', 'never'] as const;

/** The name of a severity; an unknown one is shown as it is written. */
export const severityName = (t: Translate, severity: string): string =>
  t(`case.severity.${severity.toUpperCase() as Severity}`, { defaultValue: severity });

/** What an approval needs, in words. */
export const overrideName = (t: Translate, kind: string): string =>
  t(`ruleDesign.overrides.${kind}` as 'ruleDesign.overrides.none', { defaultValue: kind });

/** The name of a phase. */
export const phaseName = (t: Translate, phase: string): string =>
  t(`definitions.rules.phase.${phase.toUpperCase()}` as 'definitions.rules.phase.RISK', {
    defaultValue: phase,
  });

/** The name of a part of a rule; the path if it has no form. */
export function partName(t: Translate, path: string): string {
  const key = path.replace('.', '_');
  return t(`ruleDesign.part.${key}` as 'ruleDesign.part.when', { defaultValue: path });
}

/** A value of a part in words. */
export function partWords(
  t: Translate,
  language: string,
  path: string,
  value: ChangedPart['before'],
): string {
  if (value === undefined) return t('ruleDesign.absent');
  if (path === 'when') return guardWords(t, language, textOf(value), ruleVocabulary);
  if (path === 'severity') return severityName(t, textOf(value));
  if (path === 'phase') return phaseName(t, textOf(value));
  if (path === 'override') return overrideName(t, textOf(value));
  return textOf(value) || JSON.stringify(value);
}

const withForm = ['id', 'title', 'phase', 'severity', 'score', 'override', 'override_queue'];
const withWords = [...withForm, 'asks', 'when', 'message'];

/** The attributes of a rule that only its text shows. */
export const textOnly = (rule: RuleEntry): string[] =>
  Object.keys(rule.attributes).filter((name) => !withWords.includes(name));

/** A whole rule in words, line by line. */
export function ruleWords(t: Translate, language: string, rule: RuleEntry): string[] {
  const { when, severity, score, phase } = rule.attributes;
  const queue = textOf(rule.attributes.override_queue);
  const others = textOnly(rule);
  return [
    `${partName(t, 'when')}: ${partWords(t, language, 'when', when)}`,
    `${severityName(t, textOf(severity))}, +${textOf(score)}, ${phaseName(t, textOf(phase))}`,
    `${partName(t, 'override')}: ${overrideName(t, overrideOf(rule))}${queue && ` (${queue})`}`,
    wordsOf(rule, 'message', language),
    ...(others.length > 0 ? [t('ruleDesign.others', { names: others.join(', ') })] : []),
  ].filter((line) => line !== '');
}
