import i18n from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { words as en } from '../i18n/en';
import { words as zh } from '../i18n/zh';
import { problemWords } from './problem-words';

beforeAll(() =>
  i18n.init({
    lng: 'en',
    fallbackLng: false,
    resources: { en: { translation: en }, zh: { translation: zh } },
    interpolation: { escapeValue: false },
  }),
);

const awaited = {
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
    expect(problemWords(i18n.getFixedT('en'), awaited)).toMatch(/^Process p refers at destination .* high_risk/);
    expect(problemWords(i18n.getFixedT('zh'), awaited)).toMatch(/^流程 p 在 destination .*high_risk.*remittance/);
  });

  it('is the server’s sentence where the page has none, or a value is missing', () => {
    for (const language of ['en', 'zh']) {
      const t = i18n.getFixedT(language);
      expect(problemWords(t, { rule: 'new_check', message: 'it is odd', values: [] })).toBe('It is odd');
      expect(problemWords(t, { ...awaited, values: [] })).toBe('Of the server');
    }
  });

  it('names the same values in every language', () => {
    const named = (text: string) => [...text.matchAll(/\{\{\w+\}\}/g)].map(([name]) => name).sort();
    for (const [rule, text] of Object.entries(en.problems)) {
      expect(named(zh.problems[rule as keyof typeof zh.problems]), rule).toEqual(named(text));
    }
  });
});
