import i18n from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { messages as en } from '../i18n/en';
import { messages as zh } from '../i18n/zh';
import { effectOf, eventTypes, isKnownEvent } from './case-events';
import { faultOf } from './files';
import { type NextStep, nextStepMessage } from './next-step';
import { failureOf } from './refusals';

beforeAll(() =>
  i18n.init({
    lng: 'en',
    fallbackLng: false,
    resources: { en: { translation: en }, zh: { translation: zh } },
    interpolation: { escapeValue: false },
  }),
);

const step = (kind: string, more: Partial<NextStep> = {}): NextStep => ({
  kind,
  sentence: 'of the server',
  who: [],
  ...more,
});

const message = (next: NextStep, mine = false, language = 'en') =>
  nextStepMessage(i18n.getFixedT(language), next, mine);

describe('the next step of a case', () => {
  const mia = { name: 'Mia' };

  it.each([
    [step('STAGE', { stage: 'extract' }), 'In progress: Extraction.'],
    [step('STAGE'), 'The document is being processed.'],
    [step('STAGE', { stage: 'weigh' }), 'In progress: Processing.'],
    [
      step('RETRY', { stage: 'read', attempt: 3 }),
      'Reading failed. Retrying automatically (attempt 3).',
    ],
    [step('RETRY', { stage: 'read' }), 'Reading failed. Retrying automatically (attempt 2).'],
    [step('REVIEW_OPEN', { queue: 'L1' }), 'Waiting for a reviewer of queue L1.'],
    [step('REVIEW_ASSIGNED', { who: [mia] }), 'Waiting for Mia to claim the review.'],
    [step('REVIEW_CLAIMED', { who: [mia] }), 'Mia is reviewing the document.'],
    [step('IN_REVIEW'), 'Waiting for a decision.'],
    [step('INCIDENT'), 'A step failed permanently. Choose how to continue.'],
    [step('FINISHED'), 'Completed. There are no further steps.'],
  ])('of %o', (next, text) => {
    expect(message(next)).toBe(text);
  });

  it('never names a reviewer to a reader who may not know them', () => {
    for (const kind of ['REVIEW_ASSIGNED', 'REVIEW_CLAIMED'])
      for (const language of ['en', 'zh'])
        expect(message(step(kind), false, language)).toBe(
          message(step('IN_REVIEW'), false, language),
        );
  });

  it('asks the submitter for an answer, and says to others that it is awaited', () => {
    expect(message(step('RESUBMIT'), true)).toBe(en.caseLabels.next.resubmitMine);
    expect(message(step('RESUBMIT'), false)).toBe(en.caseLabels.next.resubmit);
  });

  it('of a newer server is its sentence', () => {
    expect(message(step('TELEPORT'))).toBe('of the server');
  });

  it('has a Chinese message for every kind', () => {
    const kinds = [
      ...['STAGE', 'RETRY', 'REVIEW_OPEN', 'REVIEW_ASSIGNED', 'REVIEW_CLAIMED'],
      ...['IN_REVIEW', 'RESUBMIT', 'INCIDENT', 'FINISHED'],
    ];
    for (const kind of kinds)
      expect(message(step(kind, { who: [mia], queue: 'L1' }), false, 'zh'), kind).toMatch(
        /\p{Script=Han}/u,
      );
  });
});

describe('files before they are sent', () => {
  const limits = { maxBytes: 100, mediaTypes: ['application/pdf', 'application/xml'] };

  it.each([
    ['a PDF', 100, 'application/pdf', null],
    ['one byte too many', 101, 'application/pdf', 'FileTooLarge'],
    ['nothing', 0, 'application/pdf', 'EmptyFile'],
    ['nothing of an unknown type', 0, '', 'EmptyFile'],
    ['an e-invoice as Windows names it', 5, 'text/xml', null],
    ['a type that the browser does not know', 5, '', null],
    ['a program', 5, 'application/x-msdownload', 'UnsupportedFile'],
    ['a large program', 500, 'application/x-msdownload', 'FileTooLarge'],
  ])('%s', (_name, size, type, fault) => {
    expect(faultOf({ size, type }, limits)).toBe(fault);
  });
});

describe('failures of requests', () => {
  it('without an answer are those of the network', () => {
    expect(failureOf({ networkError: new Error('offline'), graphQLErrors: [] })).toEqual({
      code: 'Network',
      message: '',
    });
  });

  it('have the code, the remedy and the id of the request', () => {
    const extensions = { code: 'Busy', remedy: 'Wait.', requestId: 'r1' };
    expect(failureOf({ graphQLErrors: [{ message: 'Busy.', extensions }] })).toEqual({
      code: 'Busy',
      message: 'Busy.',
      remedy: 'Wait.',
      requestId: 'r1',
    });
  });

  it('of another form are internal, and show no value that is not text', () => {
    const extensions = { code: 7, remedy: { a: 1 } };
    expect(failureOf({ graphQLErrors: [{ message: 'm', extensions }, { message: 'n' }] })).toEqual({
      code: 'Internal',
      message: 'm',
      remedy: undefined,
      requestId: undefined,
    });
  });
});

describe('events on an open page', () => {
  it('reload the lists, unless the type is known to change its line only', () => {
    const line = eventTypes.filter((type) => effectOf(type) === 'line');
    expect(line).toContain('stage.started');
    expect(line).not.toContain('fields.corrected');
    expect(line).not.toContain('review.decided');
    expect(effectOf('case.invented_later')).toBe('lists');
  });

  it('are known by their own names only', () => {
    expect(isKnownEvent('case.submitted')).toBe(true);
    for (const type of ['case.invented_later', 'toString', '__proto__', ''])
      expect(isKnownEvent(type), type).toBe(false);
  });
});
