import { expect, it } from 'vitest';
import { secondsUntil } from './seconds-left';

it('counts the seconds in which a decision can be undone', () => {
  const now = Date.parse('2026-11-21T10:00:00Z');
  expect(secondsUntil('2026-11-21T10:00:29.200Z', now)).toBe(30);
  expect(secondsUntil('2026-11-21T09:59:59Z', now)).toBe(0);
  expect(secondsUntil(null, now)).toBe(0);
});
