// Sentences by code and type, in the reader's language.
import type { TFunction } from 'i18next';
import { documentStateOf } from './document-status';
import type { Failure, Refusal } from './refusals';

type Translate = TFunction<'translation'>;

/** The status in words; a submitter is told "returned to you". */
export function statusLabel(t: Translate, status: string, staff: boolean): string {
  const state = documentStateOf(status);
  return staff && state === 'returned' ? t('life.statusStaff.returned') : t(`life.status.${state}`);
}

const stages = [
  'read',
  'extract',
  'validate',
  'assess',
  'archive',
  'external',
  'timer',
  'saga',
] as const;

/** What a stage does, in words. */
export function stageLabel(t: Translate, behaviour: string): string {
  const known = stages.find((stage) => stage === behaviour);
  return known ? t(`life.stage.${known}`) : t('life.stage.other');
}

/** A stage as the subject of a sentence; one that has no name here goes by its node. */
export function stageName(t: Translate, stage: { behaviour: string; node: string }): string {
  const known = stages.find((one) => one === stage.behaviour);
  return known ? t(`life.stageName.${known}`) : t('life.stageName.other', { node: stage.node });
}

/**
 * Why it was refused. The server's English sentence carries the values; other languages say it by code, with the
 * values where the code has a sentence for them.
 */
export function refusalMessage(t: Translate, language: string, refusal: Refusal): string {
  if (language === 'en' && refusal.message !== '')
    return refusal.message[0]?.toUpperCase() + refusal.message.slice(1);
  const values = Object.fromEntries((refusal.values ?? []).map(({ name, value }) => [name, value]));
  const template = t(`refusals.with.${refusal.code}` as 'refusals.with.AlreadyClaimed', {
    defaultValue: '',
    skipInterpolation: true,
  });
  const needed = [...template.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? '');
  if (needed.length > 0 && needed.every((name) => values[name])) {
    return template.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => values[name] ?? '');
  }
  const plain = t(`refusals.${refusal.code}` as 'refusals.Busy', { defaultValue: '' });
  return plain !== '' ? plain : refusal.message;
}

/** What can be done now: in English as the server wrote it, in other languages by the code; null where nothing is known. */
export function refusalHint(
  t: Translate,
  language: string,
  refusal: { code: string; wayOut?: string | null | undefined },
): string | null {
  if (language === 'en' && refusal.wayOut) return refusal.wayOut;
  if (language === 'en' && refusal.wayOut !== undefined) return null;
  return t(`refusals.ways.${refusal.code}` as 'refusals.ways.Busy', { defaultValue: '' }) || null;
}

/** What went wrong, and what to do, for a failure of the machine or the network. */
export function failureMessage(
  t: Translate,
  language: string,
  failure: Failure,
): { message: string; hint: string } {
  if (failure.code === 'Network') return { message: t('ui.network'), hint: t('ui.networkHint') };
  const message = refusalMessage(t, language, { code: failure.code, message: failure.message });
  return {
    message: message || t('ui.internal'),
    hint: refusalHint(t, language, failure) ?? t('ui.internalHint'),
  };
}

/** The name of a field of a document. */
export function fieldLabel(t: Translate, name: string): string {
  return t(`life.fields.${name}` as 'life.fields.number', { defaultValue: name });
}

/** Types of documents, in words where there are some. */
export function documentTypeLabels(t: Translate, types: readonly string[]): string {
  const labels = types.map((type) =>
    t(`life.types.${type}` as 'life.types.invoice', { defaultValue: type }),
  );
  return labels.join(t('life.next.comma'));
}

/** What a rule says, in short; a rule that has no words here goes by its name. */
export function ruleLabel(t: Translate, rule: string): string {
  return t(`life.rules.${rule}` as 'life.rules.arithmetic', { defaultValue: rule });
}

/** What a finding says, in the reader's language, by the rule set that judged. */
export function findingMessage(
  t: Translate,
  language: string,
  finding: { rule: string; message: string; zh?: string | undefined },
): string {
  const text = language === 'zh' ? finding.zh : finding.message;
  return text || ruleLabel(t, finding.rule);
}

/** A node by what it does, where its id says so, as in the built-in processes; else by its id. */
export function nodeLabel(t: Translate, node: string): string {
  const known = stages.find((stage) => stage === node);
  return known ? t(`life.stageName.${known}`) : node;
}
