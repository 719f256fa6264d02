import i18n from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { messages as en } from '../i18n/en';
import { messages as zh } from '../i18n/zh';
import { problemMessage } from './problem-labels';

beforeAll(() =>
  i18n.init({
    lng: 'en',
    fallbackLng: false,
    resources: { en: { translation: en }, zh: { translation: zh } },
    interpolation: { escapeValue: false },
  }),
);

const problem = {
  rule: 'finding_awaited',
  message: 'of the server',
  values: [
    { name: 'process', value: 'p' },
    { name: 'node', value: 'destination' },
    { name: 'rule', value: 'high_risk' },
    { name: 'set', value: 'remittance' },
  ],
};

describe('what stands against a text', () => {
  it('is said in the language, with the values', () => {
    expect(problemMessage(i18n.getFixedT('en'), problem)).toMatch(
      /^Process p refers at destination .* high_risk/,
    );
    expect(problemMessage(i18n.getFixedT('zh'), problem)).toMatch(
      /^流程 p 在 destination .*high_risk.*remittance/,
    );
  });

  it('fall back to the server’s sentence', () => {
    for (const language of ['en', 'zh']) {
      const t = i18n.getFixedT(language);
      expect(problemMessage(t, { rule: 'new_check', message: 'it is odd', values: [] })).toBe(
        'It is odd',
      );
      expect(problemMessage(t, { ...problem, values: [] })).toBe('Of the server');
    }
  });

  it('use the same values in every language', () => {
    const named = (text: string) => [...text.matchAll(/\{\{\w+\}\}/g)].map(([name]) => name).sort();
    for (const [rule, text] of Object.entries(en.problems)) {
      expect(named(zh.problems[rule as keyof typeof zh.problems]), rule).toEqual(named(text));
    }
  });
});
