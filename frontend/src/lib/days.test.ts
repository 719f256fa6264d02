import { describe, expect, it } from 'vitest';
import { dateRangeOf, dayOf, startOfDay } from './days';

describe('days', () => {
  it('start in the local time zone', () => {
    const at = startOfDay('2026-03-29');
    expect(at?.getHours()).toBe(0);
    expect(at && dayOf(at)).toBe('2026-03-29');
    const after = startOfDay('2026-12-31', 1);
    expect(after && dayOf(after)).toBe('2027-01-01');
    expect(startOfDay('2026-02-30')).toBeNull();
    expect(startOfDay('tomorrow')).toBeNull();
  });

  it('make a range with an exclusive end', () => {
    const range = dateRangeOf('2026-11-21', '2026-11-21', '2026-11-21');
    expect(range?.from).toBeNull();
    expect(range?.until).toBe(startOfDay('2026-11-22')?.toISOString());
    expect(dateRangeOf('2026-11-25', '2026-11-26', '2026-11-21')?.from).toBe(
      startOfDay('2026-11-25')?.toISOString(),
    );
  });

  it('make no reversed or past range', () => {
    expect(dateRangeOf('2026-11-25', '2026-11-24', '2026-11-21')).toBeNull();
    expect(dateRangeOf('2026-11-01', '2026-11-20', '2026-11-21')).toBeNull();
    expect(dateRangeOf('', '2026-11-24', '2026-11-21')).toBeNull();
  });
});
