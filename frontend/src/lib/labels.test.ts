import i18n from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { messages as en } from '../i18n/en';
import { messages as zh } from '../i18n/zh';
import {
  documentTypeLabels,
  failureMessage,
  fieldLabel,
  findingSentence,
  findingTitle,
  nodeLabel,
  refusalHint,
  refusalMessage,
  stageLabel,
  stageName,
  statusLabel,
} from './labels';

beforeAll(() =>
  i18n.init({
    lng: 'en',
    fallbackLng: false,
    resources: { en: { translation: en }, zh: { translation: zh } },
    interpolation: { escapeValue: false },
  }),
);

const inEnglish = () => i18n.getFixedT('en');
const inChinese = () => i18n.getFixedT('zh');

const refusal = (code: string, message = '', values: { name: string; value: string }[] = []) => ({
  code,
  message,
  values,
});

describe('field labels', () => {
  it('exist for every built-in field in both languages', () => {
    expect(Object.keys(en.fields)).toEqual(Object.keys(zh.fields));
    for (const name of Object.keys(en.fields)) {
      expect(fieldLabel(inEnglish(), name), name).not.toMatch(/fields\.|_/);
      expect(fieldLabel(inChinese(), name), name).not.toMatch(/fields\.|_/);
    }
    expect(fieldLabel(inEnglish(), 'due_date')).toBe('Due date');
    expect(fieldLabel(inChinese(), 'due_date')).toBe('到期日');
  });

  it('are the name itself for a field of an external program', () => {
    expect(fieldLabel(inChinese(), 'cost_centre')).toBe('cost_centre');
  });
});

describe('status labels', () => {
  it('speak to the submitter, and name the submitter to the staff', () => {
    expect(statusLabel(inEnglish(), 'RETURNED', false)).toBe('Returned to you');
    expect(statusLabel(inEnglish(), 'RETURNED', true)).toBe('Returned to the submitter');
    expect(statusLabel(inEnglish(), 'ARCHIVED', true)).toBe('Archived');
  });

  it('show a status of a newer server as processing', () => {
    expect(statusLabel(inEnglish(), 'HIBERNATING', true)).toBe('Processing');
  });
});

describe('stages', () => {
  it('have a label by their behaviour, and a node that names an unknown one', () => {
    expect(stageLabel(inEnglish(), 'extract')).toBe('Extraction');
    expect(stageLabel(inEnglish(), 'weigh')).toBe('Processing');
    expect(stageName(inEnglish(), { behaviour: 'extract', node: 'n7' })).toBe('Extraction');
    expect(stageName(inEnglish(), { behaviour: 'weigh', node: 'n7' })).toBe('Step n7');
    expect(nodeLabel(inChinese(), 'archive')).toBe(stageName(inChinese(), archive));
    expect(nodeLabel(inChinese(), 'first_line')).toBe('first_line');
  });
});

const archive = { behaviour: 'archive', node: 'archive' };

describe('document types', () => {
  it('are listed in the language, unknown ones by name', () => {
    expect(documentTypeLabels(inEnglish(), ['invoice', 'merchant_application', 'lease'])).toBe(
      'invoice, merchant application, lease',
    );
    expect(documentTypeLabels(inEnglish(), [])).toBe('');
  });
});

describe('refusals', () => {
  const claimed = refusal('AlreadyClaimed', 'mia has claimed this review.', [
    { name: 'by', value: 'Mia' },
  ]);

  it('in English are the sentence of the server, with a capital letter', () => {
    expect(refusalMessage(inEnglish(), 'en', claimed)).toBe('Mia has claimed this review.');
    expect(refusalMessage(inEnglish(), 'en', refusal('Busy'))).toBe(en.refusals.Busy);
  });

  it('in Chinese have the values of the template only if all of them are known', () => {
    for (const [code, template] of Object.entries(zh.refusals.with)) {
      const names = [...template.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? '');
      const values = names.map((name) => ({ name, value: `<${name}>` }));
      const full = refusalMessage(inChinese(), 'zh', refusal(code, 'english', values));
      for (const { value } of values) expect(full, code).toContain(value);
      expect(full, code).not.toContain('{{');
      const partial = refusalMessage(inChinese(), 'zh', refusal(code, 'english', []));
      expect(partial, code).not.toContain('{{');
      expect(partial, code).not.toBe('english');
    }
  });

  it('in Chinese say which change of a proposal was not read', () => {
    const because = (...values: { name: string; value: string }[]) =>
      refusalMessage(inChinese(), 'zh', refusal('StaleVersion', 'english', values));
    expect(because({ name: 'reason', value: 'effect_changed' })).toContain('影响');
    const limit = because(
      { name: 'reason', value: 'limit_changed' },
      { name: 'limit', value: 'reviewer_l1' },
      { name: 'now', value: '1.00 USD' },
    );
    expect(limit).toContain('1.00 USD');
    expect(limit).toContain('reviewer_l1');
    expect(because()).toBe(zh.refusals.StaleVersion);
  });

  it('in Chinese insert a value with a dollar sign unchanged', () => {
    const [code = '', template = ''] = Object.entries(zh.refusals.with)[0] ?? [];
    const names = [...template.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? '');
    const values = names.map((name) => ({ name, value: "$& $' $1" }));
    expect(refusalMessage(inChinese(), 'zh', refusal(code, '', values))).toContain("$& $' $1");
  });

  it('with an unknown code are the sentence of the server in every language', () => {
    expect(refusalMessage(inChinese(), 'zh', refusal('Newer', 'New rule.'))).toBe('New rule.');
  });

  it('have a hint from the server in English, and the hint of the code in Chinese', () => {
    expect(refusalHint(inEnglish(), 'en', { code: 'Busy', remedy: 'Wait.' })).toBe('Wait.');
    expect(refusalHint(inEnglish(), 'en', { code: 'Busy', remedy: null })).toBeNull();
    expect(refusalHint(inEnglish(), 'en', { code: 'Busy' })).toBe(en.refusals.remedies.Busy);
    expect(refusalHint(inChinese(), 'zh', { code: 'Busy', remedy: 'Wait.' })).toBe(
      zh.refusals.remedies.Busy,
    );
    expect(refusalHint(inChinese(), 'zh', { code: 'Newer', remedy: 'Wait.' })).toBeNull();
  });
});

describe('technical failures', () => {
  const failure = (code: string, message = '') => ({ code, message });

  it('of the network say so in the language, whatever the browser says', () => {
    expect(failureMessage(inChinese(), 'zh', failure('Network', 'Failed to fetch'))).toEqual({
      message: zh.ui.network,
      hint: zh.ui.networkHint,
    });
  });

  it('without any text still say what to do', () => {
    expect(failureMessage(inEnglish(), 'en', failure('Newer'))).toEqual({
      message: en.ui.internal,
      hint: en.ui.internalHint,
    });
  });
});

describe('findings', () => {
  const finding = {
    title: 'Duplicate',
    titleZh: '重复',
    message: 'Seen before.',
    zh: '已提交过。',
  };

  it('are shown in the language of the user', () => {
    expect([findingTitle('en', finding), findingSentence('en', finding)]).toEqual([
      'Duplicate',
      'Seen before.',
    ]);
    expect([findingTitle('zh', finding), findingSentence('zh', finding)]).toEqual([
      '重复',
      '已提交过。',
    ]);
  });
});
