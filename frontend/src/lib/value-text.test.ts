import { expect, test, vi } from 'vitest';
import { regionalLocale } from './format';
import { dayText, shownText, valueText, withValueTexts } from './value-text';

test('a country has its name and an amount its separators; a number of a document stays', () => {
  expect(valueText('country', 'DE', 'en')).toBe('Germany (DE)');
  expect(valueText('iban_country', 'DE', 'zh')).toBe('德国 (DE)');
  expect(valueText('total', '1032210.00', 'en')).toBe('1,032,210.00');
  expect(valueText('base', '1032210.00 USD', 'zh')).toBe('1,032,210.00 USD');
  expect(valueText('number', '202400.10', 'en')).toBe('202400.10');
  expect(valueText('number', '2026-11-01', 'en')).toBe('2026-11-01');
  expect(valueText('tax_breakdown', '19%: 1000.00 + 190.00', 'en')).toBe('19%: 1,000.00 + 190.00');
});

test('an account is shown in full, an IBAN in groups of four; other codes stay', () => {
  const iban = 'DE89370400440532013000';
  const grouped = 'DE89 3704 0044 0532 0130 00';
  expect(shownText('IBAN', iban, 'en')).toBe(grouped);
  expect(shownText('IBAN', '12-345/6', 'en')).toBe('12-345/6');
  expect(shownText('TEXT', iban, 'en')).toBe(iban);
  expect(valueText('iban', iban, 'zh')).toBe(grouped);
  expect(valueText('vat_id', 'DE123456788000000', 'en')).toBe('DE123456788000000');
  expect(
    withValueTexts(
      `The account ${iban} is also on CS-2026-000001 of Atlas.`,
      [{ name: 'account', value: iban }],
      'en',
    ),
  ).toBe(`The account ${grouped} is also on CS-2026-000001 of Atlas.`);
});

test('a day has the form of the other dates of the pages', () => {
  const form = (language: string) =>
    new Intl.DateTimeFormat(regionalLocale(language), { dateStyle: 'medium', timeZone: 'UTC' });
  for (const language of ['en', 'zh']) {
    const shown = form(language).format(new Date('2026-11-01T00:00:00Z'));
    expect(dayText('2026-11-01', language)).toBe(shown);
    expect(valueText('due_date', '2026-11-01', language)).toBe(shown);
    expect(shownText('DATE', '2026-11-01', language)).toBe(shown);
  }
  for (const odd of ['2026-02-30', '2026-11-01T10:00:00Z', 'tomorrow', ''])
    expect(dayText(odd, 'en')).toBe(odd);
});

test.each([
  ['en-US', 'en', 'Nov 2, 2026'],
  ['en-GB', 'en', '2 Nov 2026'],
  ['zh-CN', 'zh', '2026年11月2日'],
  ['de-DE', 'en', 'Nov 2, 2026'], // a region of another language does not count
])('a day of a browser in %s on the page in %s is %s', async (region, language, text) => {
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue([region]);
  vi.resetModules(); // the forms of a language are kept
  const fresh = await import('./value-text');
  expect(fresh.dayText('2026-11-02', language)).toBe(text);
  expect(fresh.shownText('DATE', '2026-11-02', language)).toBe(text);
  expect(fresh.valueText('due_date', '2026-11-02', language)).toBe(text);
  expect(fresh.dayText('2026-02-30', language)).toBe('2026-02-30');
  vi.restoreAllMocks();
});

test('shows saved values as other pages do, and texts that it does not know as they are', () => {
  expect(shownText('COUNTRY', 'DE', 'en')).toBe('Germany (DE)');
  expect(shownText('COUNTRY', 'Atlantis', 'en')).toBe('Atlantis');
  expect(shownText('MONEY', '1032210.00', 'en')).toBe('1,032,210.00');
  expect(shownText('MONEY', 'about 5', 'en')).toBe('about 5');
  expect(shownText('TEXT', '1000', 'en')).toBe('1000');
  const taxes = '7%: 11300.03 + 791.00; 19%: 1064.46 + 202.25';
  expect(shownText('TEXT', taxes, 'en', 'tax_breakdown')).toBe(
    '7%: 11,300.03 + 791.00; 19%: 1,064.46 + 202.25',
  );
});

test('the values of a finding have the same form in its sentence', () => {
  expect(
    withValueTexts(
      'The account is in DE, but the vendor is in FR.',
      [
        { name: 'iban_country', value: 'DE' },
        { name: 'vendor_country', value: 'FR' },
      ],
      'en',
    ),
  ).toBe('The account is in Germany (DE), but the vendor is in France (FR).');
  expect(
    withValueTexts(
      'Net 1000.00 and tax 190.00 do not add up to the total 11000.00 EUR (difference 9810.00).',
      [
        { name: 'net', value: '1000.00' },
        { name: 'tax', value: '190.00' },
        { name: 'total', value: '11000.00' },
        { name: 'difference', value: '9810.00' },
      ],
      'en',
    ),
  ).toBe(
    'Net 1,000.00 and tax 190.00 do not add up to the total 11,000.00 EUR (difference 9,810.00).',
  );
  expect(
    withValueTexts(
      '金额为 1032210.00 USD，达到或超过 100000.00 USD。',
      [
        { name: 'base', value: '1032210.00 USD' },
        { name: 'mark', value: '100000.00 USD' },
      ],
      'zh',
    ),
  ).toBe('金额为 1,032,210.00 USD，达到或超过 100,000.00 USD。');
});
