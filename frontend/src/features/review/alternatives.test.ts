import { describe, expect, test } from 'vitest';
import type { AssertedValue } from '../../lib/differences';
import { alternativesOf, chosenValues, otherReading } from './alternatives';

const stated = (value: string, more: Partial<AssertedValue> = {}): AssertedValue => ({
  value,
  raw: value,
  currency: null,
  source: 'OCR',
  by: null,
  at: null,
  page: 1,
  box: null,
  documentRevision: 2,
  confidence: 0.5,
  resolved: false,
  suggestion: false,
  ...more,
});
const word = (text: string, x: number, alternative = '') => ({
  text,
  alternative,
  box: { x, y: 10, w: 20, h: 10 },
});

describe('alternatives of a field', () => {
  test('are the other values, each once, the newest first', () => {
    const history = [stated('1'), stated('2', { source: 'DECLARED' }), stated('3'), stated('2')];
    expect(alternativesOf('3', history, 2, null).map(({ value }) => value)).toEqual(['2', '1']);
  });
  test('never come from a document that was replaced, nor are suggestions of a model among them', () => {
    const history = [
      stated('old', { documentRevision: 1 }),
      stated('guessed', { source: 'LLM', suggestion: true }),
      stated('declared', { source: 'DECLARED', documentRevision: 0 }),
      stated(''),
    ];
    expect(alternativesOf('now', history, 2, null).map(({ value }) => value)).toEqual(['declared']);
  });
  test('what is no value of the type is not offered', () => {
    const isValue = (text: string) => text !== '45/05/2017';
    const offered = alternativesOf('3', [stated('1')], 2, '45/05/2017', isValue);
    expect(offered.map(({ value }) => value)).toEqual(['1']);
  });
  test('are all offered, so that none is hidden behind others', () => {
    const history = Array.from({ length: 40 }, (_, at) => stated(`v${at}`));
    expect(alternativesOf('', history, 2, 'other')).toHaveLength(41);
  });
  test('a total is entered with the currency of its page', () => {
    const yen = { value: '50000', stated: stated('50000', { currency: 'JPY' }) };
    expect(chosenValues('total', yen, 'EUR')).toEqual([
      { name: 'total', value: '50000' },
      { name: 'currency', value: 'JPY' },
    ]);
    const alone = [{ name: 'total', value: '50000' }];
    expect(chosenValues('total', yen, 'JPY')).toEqual(alone);
    expect(chosenValues('total', { value: '50000', stated: null }, 'EUR')).toEqual(alone);
    expect(chosenValues('total', { value: '50000', stated: stated('50000') }, 'EUR')).toEqual(
      alone,
    );
  });
  test('contain the reading of the other engine, if it differs in this place', () => {
    const words = [word('1', 0), word('032,10', 30, '082,10'), word('EUR', 300, 'FUR')];
    expect(otherReading(words, { x: 0, y: 5, w: 60, h: 20 })).toBe('1 082,10');
    expect(otherReading(words, { x: 0, y: 5, w: 25, h: 20 })).toBeNull();
    expect(alternativesOf('7', [], 2, '1 082,10')).toEqual([{ value: '1 082,10', stated: null }]);
  });
});
