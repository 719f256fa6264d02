import i18n from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { messages as en } from '../i18n/en';
import { messages as zh } from '../i18n/zh';
import { eventTypes } from './case-events';
import { earlierFindings, eventMessage, type LoggedEvent } from './event-labels';
import { refusalHint, refusalMessage } from './labels';

beforeAll(() =>
  i18n.init({
    lng: 'en',
    fallbackLng: false,
    resources: { en: { translation: en }, zh: { translation: zh } },
    interpolation: { escapeValue: false },
  }),
);

const message = (language: 'en' | 'zh', event: Omit<LoggedEvent, 'sentence'>) =>
  eventMessage(i18n.getFixedT(language), language, { sentence: 'of the contract', ...event });

const read = (pages: number): Omit<LoggedEvent, 'sentence'> => ({
  type: 'stage.completed',
  body: { behaviour: 'read', node: 'read', visit: 1, attempt: 1, summary: { pages } },
});

describe('event messages', () => {
  it('is never the sentence of the contract, for any type, with or without a body', () => {
    for (const language of ['en', 'zh'] as const) {
      for (const type of eventTypes) {
        const text = message(language, { type, body: null });
        expect(text, type).not.toMatch(/of the contract|events\.|eventTypes\./);
      }
    }
    expect(message('zh', { type: 'new.type', body: {} })).toBe('of the contract');
  });

  it('names the rule of an overridden finding', () => {
    const event = { type: 'finding.overridden', body: { rule: 'invalid_iban', reason: 'Typo' } };
    expect(message('en', event)).toBe('Finding overridden (invalid iban): Typo');
    const known = { ruleTitle: (rule: string) => ({ invalid_iban: 'Wrong IBAN' })[rule] };
    expect(eventMessage(i18n.getFixedT('en'), 'en', { sentence: '', ...event }, known)).toBe(
      'Finding overridden (Wrong IBAN): Typo',
    );
  });

  it('counts the findings of the validation with those of the assessment', () => {
    const stage = (behaviour: string, findings: number) => ({
      type: 'stage.completed',
      sentence: '',
      body: { behaviour, node: behaviour, visit: 1, attempt: 1, summary: { findings, risk: 25 } },
    });
    const events = [stage('validate', 2), stage('assess', 1), stage('assess', 1)];
    expect(events.map((_, index) => earlierFindings(events, index))).toEqual([0, 2, 0]);
    const assessed = events[1] as LoggedEvent;
    const text = eventMessage(i18n.getFixedT('en'), 'en', assessed, { earlierFindings: 2 });
    expect(text).toBe('Assessment completed: 3 findings (1 new), risk 25');
  });

  it('counts', () => {
    expect(message('en', read(1))).toBe('Reading completed: 1 page');
    expect(message('en', read(3))).toBe('Reading completed: 3 pages');
    expect(message('zh', read(3))).toBe('识别：已完成，3 页');
  });

  it('tells confirmed values from entered ones', () => {
    const field = (name: string, before?: string, after?: string) => ({
      name,
      source: 'human',
      ...(before && { before }),
      ...(after && { after }),
    });
    const saved = (...fields: ReturnType<typeof field>[]) => ({
      type: 'fields.corrected',
      body: { factsRevision: 2, fields },
    });
    const confirmed = field('currency', 'MYR', 'MYR');
    const entered = field('number', 'R18-31', 'OFF-1');
    expect(message('en', saved(confirmed))).toBe('Values confirmed: Currency');
    expect(message('en', saved(entered))).toBe('Values entered by hand: Number');
    expect(message('en', saved(confirmed, entered))).toBe(
      'Values entered by hand: Number; Values confirmed: Currency',
    );
    expect(message('zh', saved(confirmed))).toBe('已确认的值：币种');
  });

  it('says which findings other documents made, and not the saved values', () => {
    const body = {
      factsRevision: 2,
      fields: [{ name: 'vendor', source: 'human' as const, before: 'Acme', after: 'Acme' }],
      recomputed: ['split_small'],
      riskBefore: 25,
      riskAfter: 55,
    };
    expect(message('en', { type: 'fields.corrected', body })).toBe(
      'Values confirmed: Vendor; New findings because of other documents, not of these values: split_small; Risk 25 → 55',
    );
  });

  it('says why a case was evaluated again', () => {
    const event = (body: object) => ({ type: 'route.reevaluated', body });
    const several = event({
      causes: ['exchange rates', 'other cases'],
      cases: ['CS-2026-000002'],
      factsRevision: 3,
    });
    expect(message('en', several)).toBe(
      'Evaluated again because of changes: exchange rates, other cases (CS-2026-000002)',
    );
    expect(message('zh', several)).toBe('因以下变化已重新评估：汇率、其他案件（CS-2026-000002）');
    expect(message('en', event({ causes: ['date'], factsRevision: 3 }))).toBe(
      'Evaluated again because of changes: date',
    );
    // Events of earlier versions: one cause, or one that nothing is known of.
    expect(message('en', event({ cause: 'party', factsRevision: 3 }))).toContain(
      'conflicts of interest',
    );
    expect(message('en', event({ cause: 'several', factsRevision: 3 }))).toBe('Evaluated again');
    expect(message('en', event({ factsRevision: 3 }))).toBe('Evaluated again');
  });

  it('names persons where the reader may know them', () => {
    const event = {
      type: 'review.reassigned',
      body: { reviewId: 'r', to: '1', from: '2', reason: 'Leave' },
    };
    const people = [
      { property: 'to', person: { name: 'Jun' } },
      { property: 'from', person: { name: 'Kim' } },
    ];
    expect(message('en', { ...event, people })).toBe('Review reassigned from Kim to Jun: Leave');
    expect(message('zh', { ...event, people })).toBe('审核已由 Kim 转派给 Jun：Leave');
    expect(message('en', event)).toBe('Review reassigned: Leave');
  });

  it('labels known values and shows others unchanged', () => {
    const fell = (why: string) => ({ type: 'vote.fell', body: { duty: 'd', person: 'p', why } });
    expect(message('zh', fell('the document was replaced'))).toBe('先前的表决已失效：文件已替换');
    expect(message('zh', fell('eclipse'))).toBe('先前的表决已失效：eclipse');
  });
});

describe('refusal messages in another language', () => {
  const zhWords = () => i18n.getFixedT('zh');
  it('carries its values where all are there', () => {
    const refusal = {
      code: 'AlreadyDecided',
      message: 'x',
      values: [{ name: 'by', value: 'Kim' }],
    };
    expect(refusalMessage(zhWords(), 'zh', refusal)).toBe('Kim 已审批此审核。');
    expect(refusalMessage(zhWords(), 'zh', { ...refusal, values: [] })).toBe('此审核已审批。');
  });
  it('says what can be done', () => {
    expect(refusalHint(zhWords(), 'zh', { code: 'FourEyes', remedy: 'Leave it.' })).toBe(
      '请留在队列中由其他人处理。',
    );
    expect(refusalHint(i18n.getFixedT('en'), 'en', { code: 'FourEyes', remedy: 'Leave it.' })).toBe(
      'Leave it.',
    );
  });
});
