// Sentences by code and type, in the reader's language.
import type { TFunction } from 'i18next';
import { isKnownEvent } from './case-events';
import { lifeStateOf } from './document-life';
import type { Failure, Refusal } from './refusals';

type Words = TFunction<'translation'>;

/** The status in words; a submitter is told "returned to you". */
export function statusWords(t: Words, status: string, staff: boolean): string {
  const state = lifeStateOf(status);
  return staff && state === 'returned' ? t('life.statusStaff.returned') : t(`life.status.${state}`);
}

const stages = ['read', 'extract', 'validate', 'assess', 'archive', 'external'] as const;

/** What a stage does, in words. */
export function stageWords(t: Words, behaviour: string): string {
  const known = stages.find((stage) => stage === behaviour);
  return known ? t(`life.stage.${known}`) : t('life.stage.other');
}

/** What happened, in words: English as the server wrote it with its values, else by the event's type. */
export function eventWords(t: Words, language: string, event: { type: string; sentence: string }): string {
  if (language === 'en' && event.sentence !== '') return event.sentence;
  return isKnownEvent(event.type) ? t(`events.${event.type}`) : event.sentence || t('events.unknown');
}

/** Why it was refused. The server's English sentence carries the values; other languages say it by code. */
export function refusalWords(t: Words, language: string, refusal: Refusal): string {
  if (language === 'en' && refusal.message !== '') return refusal.message[0]?.toUpperCase() + refusal.message.slice(1);
  const words = t(`refusals.${refusal.code}` as 'refusals.Busy', { defaultValue: '' });
  return words !== '' ? words : refusal.message;
}

/** What went wrong, and what to do, for a failure of the machine or the network. */
export function failureWords(t: Words, language: string, failure: Failure): { what: string; todo: string } {
  if (failure.code === 'Network') return { what: t('ui.network'), todo: t('ui.networkHint') };
  const what = refusalWords(t, language, { code: failure.code, message: failure.message });
  return { what: what || t('ui.internal'), todo: failure.wayOut ?? t('ui.internalHint') };
}

/** The name of a field of a document. */
export function fieldWords(t: Words, name: string): string {
  return t(`life.fields.${name}` as 'life.fields.number', { defaultValue: name });
}
