import i18n from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { messages as en } from '../i18n/en';
import { messages as zh } from '../i18n/zh';
import { evidenceText } from './evidence';

beforeAll(() =>
  i18n.init({
    lng: 'en',
    fallbackLng: false,
    resources: { en: { translation: en }, zh: { translation: zh } },
    interpolation: { escapeValue: false },
  }),
);

const textIn = (language: string, values: Record<string, string>) =>
  evidenceText(
    i18n.getFixedT(language),
    language,
    Object.entries(values).map(([name, value]) => ({ name, value })),
  );

describe('the values of a finding', () => {
  it('have the labels of fields and of rules, and the names of other rule sets', () => {
    const values = { total: '119.00', before: 'DE02', limit: '100.00' };
    expect(textIn('en', values)).toBe('Total: 119.00 · Account before: DE02 · limit: 100.00');
    expect(textIn('zh', values)).toBe('总额：119.00 · 此前的账户：DE02 · limit：100.00');
  });

  it('show words instead of codes', () => {
    const values = { subject: 'account', fault: 'too_short', type: 'invoice', cases: 'CS-1,CS-2' };
    expect(textIn('en', values)).toBe(
      'Added up for: this account · Fault: too short · Document type: invoice · Cases: CS-1, CS-2',
    );
    expect(textIn('zh', values)).toBe(
      '合计对象：该账户 · 错误：太短 · 单据类型：发票 · 案件：CS-1、CS-2',
    );
    expect(textIn('en', { base: '1000.00 USD', country: 'DE' })).toContain('Germany (DE)');
    expect(textIn('en', { subject: 'department' })).toBe('Added up for: department');
  });

  it('leave out what the sentence says already, and what is empty', () => {
    expect(textIn('en', { fields: 'total,net', parts: '1-2', date: '' })).toBe('');
  });
});
