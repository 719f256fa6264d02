import { describe, expect, it } from 'vitest';
import { isValueOf, readingOf } from './field-text';

describe('typed values', () => {
  it.each([
    ['MONEY', '1190.5', 'EUR', { read: '1,190.5 EUR' }],
    ['MONEY', '99999999999999999.01', 'EUR', { read: '99,999,999,999,999,999.01 EUR' }],
    ['MONEY', '1190.555', 'EUR', { fault: 'digits', digits: 2 }],
    ['MONEY', '1190.50', 'JPY', { fault: 'digits', digits: 0 }],
    ['MONEY', '1190.50', 'HUF', { read: '1,190.50 HUF' }],
    ['MONEY', '1190.00', 'JPY', { read: '1,190.00 JPY' }],
    ['MONEY', '1.190', 'KWD', { read: '1.190 KWD' }],
    ['MONEY', '1.234,56', 'EUR', null],
    ['MONEY', 'about 5', 'EUR', { fault: 'amount' }],
    ['MONEY', '12', null, { read: '12' }],
    ['DATE', '2026-11-30', null, { read: 'Mon, November 30, 2026' }],
    ['DATE', '2026-02-30', null, { fault: 'date' }],
    ['DATE', '30.11.2026', null, null],
    ['DATE', 'soon', null, { fault: 'date' }],
    ['CURRENCY', 'eur', null, { read: 'Euro' }],
    ['CURRENCY', 'QQQ', null, { fault: 'currency' }],
    ['COUNTRY', 'de', null, { read: 'Germany' }],
    ['COUNTRY', 'germany', null, { read: 'Germany' }],
    ['COUNTRY', '伊朗', null, { read: 'Iran' }],
    ['COUNTRY', 'Tehran, Iran', null, null],
    ['COUNTRY', 'ZZ', null, { fault: 'country' }],
    ['IBAN', 'DE89 3704 0044 0532 0130 00', null, { read: 'DE89 3704 0044 0532 0130 00' }],
    ['IBAN', 'DE89370400440532013001', null, { fault: 'iban' }],
    ['VAT_ID', 'DE1', null, null],
    ['TEXT', 'anything', null, null],
    ['MONEY', ' ', 'EUR', null],
  ] as const)('%s %j in %s', (type, text, currency, reading) => {
    expect(readingOf(type, text, currency, 'en')).toEqual(reading);
  });
});

describe('what another engine read', () => {
  it.each([
    ['DATE', '45/05/2017', false],
    ['DATE', '14/15/2017', false],
    ['DATE', '2017-02-30', false],
    ['DATE', '15.05.2017', true],
    ['DATE', '05/15/2017', true],
    ['DATE', '2017-05-15', true],
    ['DATE', '15 May 2017', true],
    ['MONEY', 'l1.9O', false],
    ['MONEY', '1.234,56', true],
    ['NUMBER', '4O', false],
    ['NUMBER', '40', true],
    ['TEXT', '4O', true],
  ] as const)('%s %s is a value: %s', (type, text, valid) => {
    expect(isValueOf(type, text)).toBe(valid);
  });
});
