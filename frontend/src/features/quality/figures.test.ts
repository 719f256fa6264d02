import { describe, expect, it } from 'vitest';
import { durationText, percentText, valuesToSend } from './figures';

describe('figures of the quality sample', () => {
  it('shows small shares', () => {
    expect(percentText(0, 'en')).toBe('0%');
    expect(percentText(0.0295, 'en')).toBe('2.95%');
    expect(percentText(0.00012, 'en')).toBe('0.012%');
    expect(percentText(1, 'en')).toBe('100%');
  });

  it('shows times in a readable unit', () => {
    expect(durationText(35.4, 'en')).toBe('35 sec');
    expect(durationText(600, 'en')).toBe('10 min');
    expect(durationText(9000, 'en')).toBe('2.5 hr');
  });

  it('sends every field, and only those', () => {
    expect(valuesToSend(['vendor', 'total'], { total: ' 12.00 ', note: 'x' })).toEqual([
      { field: 'vendor', value: '' },
      { field: 'total', value: '12.00' },
    ]);
  });
});
