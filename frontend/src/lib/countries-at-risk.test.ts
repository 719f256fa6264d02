import i18n from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { messages as en } from '../i18n/en';
import { messages as zh } from '../i18n/zh';
import {
  type CountryAtRisk,
  countryLines,
  countryLineText,
  countrySources,
} from './countries-at-risk';

const iran: CountryAtRisk[] = [
  { code: 'IR', role: 'PAYEE_BANK', field: 'iban', source: 'DECLARED' },
  { code: 'IR', role: 'PAYEE_BANK', field: 'iban', source: 'XML' },
  { code: 'IR', role: 'DELIVERY', field: 'delivery_country', source: 'HUMAN' },
  { code: 'DE', role: 'DECLARED', field: 'country', source: 'DECLARED' },
];

beforeAll(() =>
  i18n.init({
    lng: 'en',
    fallbackLng: false,
    resources: { en: { translation: en }, zh: { translation: zh } },
    interpolation: { escapeValue: false },
  }),
);

describe('countries at risk', () => {
  it('joins the sources of one role', () => {
    const lines = countryLines(iran);
    expect(lines.map((line) => line.sources)).toEqual([
      ['DECLARED', 'XML'],
      ['HUMAN'],
      ['DECLARED'],
    ]);
  });

  it('says the role in both languages', () => {
    const text = (language: string) => {
      const t = i18n.getFixedT(language);
      return countryLines(iran).map((line) => [
        countryLineText(t, language, line),
        countrySources(t, line),
      ]);
    };
    expect(text('en')).toEqual([
      ['Iran (IR): bank of the payee, from IBAN', 'declared, e-invoice'],
      ['Iran (IR): delivery', 'entered'],
      ['Germany (DE): declared', ''],
    ]);
    expect(text('zh')).toEqual([
      ['伊朗 (IR)：收款方银行，来自 IBAN', '申报、电子发票'],
      ['伊朗 (IR)：交付地', '录入'],
      ['德国 (DE)：申报', ''],
    ]);
  });
});
