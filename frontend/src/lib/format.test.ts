import { describe, expect, it, vi } from 'vitest';
import {
  dateTimeText,
  dayText,
  fullTimeText,
  perLocale,
  relativeText,
  rightText,
  shareText,
  sizeText,
} from './format';

const now = Date.parse('2026-11-21T12:00:00Z');

describe('durations and sizes', () => {
  it.each([
    ['2026-11-21T15:10:00Z', 'en', 'in 3 hours'],
    ['2026-11-19T11:00:00Z', 'en', '2 days ago'],
    ['2026-11-21T12:00:20Z', 'en', 'in 20 seconds'],
    ['2026-11-21T11:58:00Z', 'zh', '2分钟前'],
  ])('formats %s in %s as %s', (iso, locale, text) => {
    expect(relativeText(iso, now, locale)).toBe(text);
  });

  it('makes the formatter of a language once', () => {
    const make = vi.fn((locale: string) => ({ locale }));
    const formatters = perLocale(make);
    expect(formatters('en')).toBe(formatters('en'));
    expect(formatters('zh')).toEqual({ locale: 'zh' });
    expect(make).toHaveBeenCalledTimes(2);
  });

  it('formats a date as the date of a moment, in the variant of the browser', () => {
    const languages = vi.spyOn(navigator, 'languages', 'get').mockReturnValue(['en-GB', 'en']);
    expect(dayText('2026-11-30T12:00:00Z', 'en')).toBe('30 Nov 2026');
    expect(dateTimeText('2026-11-30T12:00:00Z', 'en')).toMatch(/^30 Nov 2026/);
    languages.mockRestore();
  });

  it('names the time zone in a title', () => {
    expect(fullTimeText('2026-11-30T09:05:07Z', 'en')).toMatch(/2026.*09:05:07|2026.*9:05:07/);
    expect(fullTimeText('2026-11-30T09:05:07Z', 'en')).toMatch(/UTC|GMT|[A-Z]{3,4}/);
  });

  it('formats sizes and shares', () => {
    expect(sizeText(999, 'en')).toBe('999 B');
    expect(sizeText(12_345, 'en')).toBe('12 kB');
    expect(sizeText(40_400_000, 'en')).toBe('40.4 MB');
    expect(shareText(0.936, 'en')).toBe('94%');
  });

  it('formats the share of right values of a confidence', () => {
    const shares = [0, 0.3, 0.6, 0.8, 1].map((confidence) => rightText(confidence, 'en'));
    expect(shares).toEqual(['0%', '46%', '93%', '96%', '100%']);
  });
});
