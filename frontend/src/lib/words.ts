// Sentences by code and type, in the reader's language.
import type { TFunction } from 'i18next';
import { lifeStateOf } from './document-life';
import type { Failure, Refusal } from './refusals';

type Words = TFunction<'translation'>;

/** The status in words; a submitter is told "returned to you". */
export function statusWords(t: Words, status: string, staff: boolean): string {
  const state = lifeStateOf(status);
  return staff && state === 'returned' ? t('life.statusStaff.returned') : t(`life.status.${state}`);
}

const stages = ['read', 'extract', 'validate', 'assess', 'archive', 'external', 'timer', 'saga'] as const;

/** What a stage does, in words. */
export function stageWords(t: Words, behaviour: string): string {
  const known = stages.find((stage) => stage === behaviour);
  return known ? t(`life.stage.${known}`) : t('life.stage.other');
}

/** A stage as the subject of a sentence; one that has no name here goes by its node. */
export function stageName(t: Words, stage: { behaviour: string; node: string }): string {
  const known = stages.find((one) => one === stage.behaviour);
  return known ? t(`life.stageName.${known}`) : t('life.stageName.other', { node: stage.node });
}

/**
 * Why it was refused. The server's English sentence carries the values; other languages say it by code, with the
 * values where the code has a sentence for them.
 */
export function refusalWords(t: Words, language: string, refusal: Refusal): string {
  if (language === 'en' && refusal.message !== '') return refusal.message[0]?.toUpperCase() + refusal.message.slice(1);
  const values = Object.fromEntries((refusal.values ?? []).map(({ name, value }) => [name, value]));
  const template = t(`refusals.with.${refusal.code}` as 'refusals.with.AlreadyClaimed', {
    defaultValue: '',
    skipInterpolation: true,
  });
  const needed = [...template.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? '');
  if (needed.length > 0 && needed.every((name) => values[name])) {
    return template.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => values[name] ?? '');
  }
  const words = t(`refusals.${refusal.code}` as 'refusals.Busy', { defaultValue: '' });
  return words !== '' ? words : refusal.message;
}

/** What can be done now: in English as the server wrote it, in other languages by the code; null where nothing is known. */
export function wayOutWords(
  t: Words,
  language: string,
  refusal: { code: string; wayOut?: string | null | undefined },
): string | null {
  if (language === 'en' && refusal.wayOut) return refusal.wayOut;
  if (language === 'en' && refusal.wayOut !== undefined) return null;
  return t(`refusals.ways.${refusal.code}` as 'refusals.ways.Busy', { defaultValue: '' }) || null;
}

/** What went wrong, and what to do, for a failure of the machine or the network. */
export function failureWords(t: Words, language: string, failure: Failure): { what: string; todo: string } {
  if (failure.code === 'Network') return { what: t('ui.network'), todo: t('ui.networkHint') };
  const what = refusalWords(t, language, { code: failure.code, message: failure.message });
  return { what: what || t('ui.internal'), todo: wayOutWords(t, language, failure) ?? t('ui.internalHint') };
}

/** The name of a field of a document. */
export function fieldWords(t: Words, name: string): string {
  return t(`life.fields.${name}` as 'life.fields.number', { defaultValue: name });
}

/** Types of documents, in words where there are some. */
export function typeWords(t: Words, types: readonly string[]): string {
  const words = types.map((type) => t(`life.types.${type}` as 'life.types.invoice', { defaultValue: type }));
  return words.join(t('life.next.comma'));
}

interface FindingTexts {
  title: string;
  titleZh: string;
  message: string;
  zh: string;
}

/** The short name of a finding's rule in the reader's language, from the rule set that raised it. */
export function findingTitle(language: string, finding: FindingTexts): string {
  return language === 'zh' ? finding.titleZh : finding.title;
}

/** The sentence of a finding in the reader's language, from the rule set that raised it. */
export function findingSentence(language: string, finding: FindingTexts): string {
  return language === 'zh' ? finding.zh : finding.message;
}

/** A node by what it does, where its id says so, as in the built-in processes; else by its id. */
export function nodeWords(t: Words, node: string): string {
  const known = stages.find((stage) => stage === node);
  return known ? t(`life.stageName.${known}`) : node;
}
