import { describe, expect, it } from 'vitest';
import { holidaysOf, hoursOf, hoursText, weekHours } from './hours';

describe('working hours', () => {
  it('are parsed in common notations and formatted uniformly', () => {
    const day = hoursOf('9-12:30, 13:00 – 17:30', 1);
    expect(day).toEqual([
      { weekday: 1, from: '09:00', to: '12:30' },
      { weekday: 1, from: '13:00', to: '17:30' },
    ]);
    expect(hoursText(day ?? [], 1)).toBe('09:00-12:30, 13:00-17:30');
    expect(weekHours(day ?? [])).toBe(8);
    expect(hoursOf('', 0)).toEqual([]);
    expect(hoursOf('00:00-24:00', 0)).toHaveLength(1);
  });

  it('are invalid when reversed, overlapping or malformed', () => {
    for (const text of ['17-9', '9-12, 11-13', 'nine', '9-25', '9:75-10', '9-10-11'])
      expect(hoursOf(text, 1)).toBeNull();
  });
});

it('holidays are sorted and unique dates', () => {
  expect(holidaysOf('2026-12-26\n2026-12-25, 2026-12-25')).toEqual(['2026-12-25', '2026-12-26']);
  expect(holidaysOf('')).toEqual([]);
  expect(holidaysOf('2026-02-30')).toBeNull();
  expect(holidaysOf('Christmas')).toBeNull();
});
