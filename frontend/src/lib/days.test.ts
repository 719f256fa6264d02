import { describe, expect, it } from 'vitest';
import { beginOf, dayOf, spanOf } from './days';

describe('days', () => {
  it('begin in the reader’s own zone', () => {
    const at = beginOf('2026-03-29');
    expect(at?.getHours()).toBe(0);
    expect(at && dayOf(at)).toBe('2026-03-29');
    const after = beginOf('2026-12-31', 1);
    expect(after && dayOf(after)).toBe('2027-01-01');
    expect(beginOf('2026-02-30')).toBeNull();
    expect(beginOf('tomorrow')).toBeNull();
  });

  it('make a span up to the first moment after the last', () => {
    const span = spanOf('2026-11-21', '2026-11-21', '2026-11-21');
    expect(span?.from).toBeNull();
    expect(span?.until).toBe(beginOf('2026-11-22')?.toISOString());
    expect(spanOf('2026-11-25', '2026-11-26', '2026-11-21')?.from).toBe(
      beginOf('2026-11-25')?.toISOString(),
    );
  });

  it('make none that ends before it begins, or is past', () => {
    expect(spanOf('2026-11-25', '2026-11-24', '2026-11-21')).toBeNull();
    expect(spanOf('2026-11-01', '2026-11-20', '2026-11-21')).toBeNull();
    expect(spanOf('', '2026-11-24', '2026-11-21')).toBeNull();
  });
});
