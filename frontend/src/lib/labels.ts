// Labels and messages by code and type, in the user's language.
import type { TFunction } from 'i18next';
import { documentStateOf } from './document-states';
import type { Failure, Refusal } from './refusals';
import { withValueTexts } from './value-text';

type Translate = TFunction<'translation'>;

/** The label of a status; submitters read "returned to you". */
export function statusLabel(t: Translate, status: string, staff: boolean): string {
  const state = documentStateOf(status);
  return staff && state === 'returned'
    ? t('caseLabels.statusStaff.returned')
    : t(`caseLabels.status.${state}`);
}

/** The name of a queue. Installations name their queues; that for missing facts is built in. */
export function queueLabel(t: Translate, queue: string): string {
  return queue === 'repair' ? t('caseLabels.repairQueue') : queue;
}

/** The names of queues as one text. */
export function queueLabels(t: Translate, queues: readonly string[]): string {
  return queues.map((queue) => queueLabel(t, queue)).join(t('caseLabels.next.comma'));
}

const stages = [
  'read',
  'extract',
  'parse',
  'validate',
  'assess',
  'archive',
  'external',
  'timer',
  'saga',
] as const;

/** What a stage does. */
export function stageLabel(t: Translate, behaviour: string): string {
  const known = stages.find((stage) => stage === behaviour);
  return known ? t(`caseLabels.stage.${known}`) : t('caseLabels.stage.other');
}

/** The name of a stage; an unknown one is named by its node. */
export function stageName(t: Translate, stage: { behaviour: string; node: string }): string {
  const known = stages.find((one) => one === stage.behaviour);
  return known
    ? t(`caseLabels.stageName.${known}`)
    : t('caseLabels.stageName.other', { node: stage.node });
}

/**
 * Why a command was refused: in English the server's sentence, in other languages the message of
 * its reason or code, with the values if the message has placeholders for them.
 */
export function refusalMessage(t: Translate, language: string, refusal: Refusal): string {
  if (language === 'en' && refusal.message !== '')
    return refusal.message[0]?.toUpperCase() + refusal.message.slice(1);
  const values = Object.fromEntries((refusal.values ?? []).map(({ name, value }) => [name, value]));
  const byReason = t(`refusals.reasons.${values.reason}` as 'refusals.reasons.drawn', {
    ...values,
    defaultValue: '',
  });
  if (byReason !== '') return byReason;
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

/**
 * What the user can do now: in English the server's sentence, in other languages the message of the
 * code; null if unknown.
 */
export function refusalHint(
  t: Translate,
  language: string,
  refusal: { code: string; remedy?: string | null | undefined },
): string | null {
  if (language === 'en' && refusal.remedy) return refusal.remedy;
  if (language === 'en' && refusal.remedy !== undefined) return null;
  return (
    t(`refusals.remedies.${refusal.code}` as 'refusals.remedies.Busy', { defaultValue: '' }) || null
  );
}

/** The message and hint for a technical failure. */
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

/** The label of a document field. */
export function fieldLabel(t: Translate, name: string): string {
  const ofOrder = orderFields.find((field) => field === name);
  if (ofOrder) return t(`caseLabels.order.${ofOrder}`);
  return t(`fields.${name}` as 'fields.number', { defaultValue: name });
}

/** The values that only a payment order has. */
const orderFields = ['payer', 'purpose', 'payer_reference'] as const;

const fieldsOfFacts = { amount: 'total', counterparty: 'vendor', account: 'iban' } as const;

/** The label of a fact that a process needs: that of its field. */
export function factLabel(t: Translate, fact: string): string {
  const field = Object.entries(fieldsOfFacts).find(([name]) => name === fact)?.[1];
  return fieldLabel(t, field ?? fact);
}

/** The labels of document types; an unknown type is shown by its name. */
export function documentTypeLabels(t: Translate, types: readonly string[]): string {
  const labels = types.map((type) =>
    t(`caseLabels.types.${type}` as 'caseLabels.types.invoice', { defaultValue: type }),
  );
  return labels.join(t('caseLabels.next.comma'));
}

interface FindingTexts {
  title: string;
  titleZh: string;
  message: string;
  zh: string;
  /** The values of the sentence. */
  evidence?: readonly { name: string; value: string }[];
}

/** The short name of a finding's rule in the user's language, from the rule set that raised it. */
export function findingTitle(
  language: string,
  finding: Pick<FindingTexts, 'title' | 'titleZh'>,
): string {
  return language === 'zh' ? finding.titleZh : finding.title;
}

/** The sentence of a finding in the user's language, from the rule set that raised it. */
export function findingSentence(language: string, finding: FindingTexts): string {
  const sentence = language === 'zh' ? finding.zh : finding.message;
  return withValueTexts(sentence, finding.evidence ?? [], language);
}

/** The label of a node: by its behaviour if its id is a built-in one, otherwise its id. */
export function nodeLabel(t: Translate, node: string): string {
  const known = stages.find((stage) => stage === node);
  return known ? t(`caseLabels.stageName.${known}`) : node;
}
